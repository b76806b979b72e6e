"""The calls of all products. Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
Parameters that are left out are not sent. Methods raise Refused, Unreachable and Misused.
"""

from __future__ import annotations

from venue.client.calls.contract.account import ContractAccountCalls
from venue.client.calls.contract.conditional import ContractConditionalCalls
from venue.client.calls.contract.demo import ContractDemoCalls
from venue.client.calls.contract.market import ContractMarketCalls
from venue.client.calls.contract.orders import ContractOrdersCalls
from venue.client.calls.copying.follower import CopyingFollowerCalls
from venue.client.calls.copying.trader import CopyingTraderCalls
from venue.client.calls.countdown import CountdownCalls
from venue.client.calls.operator.benefits import OperatorBenefitsCalls
from venue.client.calls.operator.bundle import OperatorBundleCalls
from venue.client.calls.operator.clock import OperatorClockCalls
from venue.client.calls.operator.content import OperatorContentCalls
from venue.client.calls.operator.contracts import OperatorContractsCalls
from venue.client.calls.operator.copying import OperatorCopyingCalls
from venue.client.calls.operator.explain import OperatorExplainCalls
from venue.client.calls.operator.faults import OperatorFaultsCalls
from venue.client.calls.operator.fee_tiers import OperatorFeeTiersCalls
from venue.client.calls.operator.preview import OperatorPreviewCalls
from venue.client.calls.operator.references import OperatorReferencesCalls
from venue.client.calls.operator.snapshots import OperatorSnapshotsCalls
from venue.client.calls.operator.venue import OperatorVenueCalls
from venue.client.calls.operator.wire import OperatorWireCalls
from venue.client.calls.operator.worlds import OperatorWorldsCalls
from venue.client.calls.spot.account import SpotAccountCalls
from venue.client.calls.spot.affiliates import SpotAffiliatesCalls
from venue.client.calls.spot.commissions import SpotCommissionsCalls
from venue.client.calls.spot.content import SpotContentCalls
from venue.client.calls.spot.market import SpotMarketCalls
from venue.client.calls.spot.orders import SpotOrdersCalls
from venue.client.calls.spot.withdrawals import SpotWithdrawalsCalls


class Calls(
    SpotMarketCalls,
    SpotAccountCalls,
    SpotOrdersCalls,
    SpotAffiliatesCalls,
    SpotCommissionsCalls,
    SpotWithdrawalsCalls,
    SpotContentCalls,
    ContractMarketCalls,
    ContractAccountCalls,
    ContractOrdersCalls,
    ContractConditionalCalls,
    ContractDemoCalls,
    CountdownCalls,
    CopyingFollowerCalls,
    CopyingTraderCalls,
    OperatorVenueCalls,
    OperatorContractsCalls,
    OperatorBenefitsCalls,
    OperatorContentCalls,
    OperatorFeeTiersCalls,
    OperatorCopyingCalls,
    OperatorPreviewCalls,
    OperatorFaultsCalls,
    OperatorClockCalls,
    OperatorReferencesCalls,
    OperatorSnapshotsCalls,
    OperatorWorldsCalls,
    OperatorWireCalls,
    OperatorExplainCalls,
    OperatorBundleCalls,
):
    """A method for each row of the table of operations."""
