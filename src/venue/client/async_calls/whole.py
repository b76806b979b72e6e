"""The calls of all products. Written by tools/clients.py; do not edit.

One method for each row of docs/operations.md, with its parameters by their names in snake case.
Parameters that are left out are not sent. Methods raise Refused, Unreachable and Misused.
"""

from __future__ import annotations

from venue.client.async_calls.contract.account import ContractAccountAsyncCalls
from venue.client.async_calls.contract.conditional import ContractConditionalAsyncCalls
from venue.client.async_calls.contract.demo import ContractDemoAsyncCalls
from venue.client.async_calls.contract.market import ContractMarketAsyncCalls
from venue.client.async_calls.contract.orders import ContractOrdersAsyncCalls
from venue.client.async_calls.copying.follower import CopyingFollowerAsyncCalls
from venue.client.async_calls.copying.trader import CopyingTraderAsyncCalls
from venue.client.async_calls.countdown import CountdownAsyncCalls
from venue.client.async_calls.operator.benefits import OperatorBenefitsAsyncCalls
from venue.client.async_calls.operator.bundle import OperatorBundleAsyncCalls
from venue.client.async_calls.operator.clock import OperatorClockAsyncCalls
from venue.client.async_calls.operator.content import OperatorContentAsyncCalls
from venue.client.async_calls.operator.contracts import OperatorContractsAsyncCalls
from venue.client.async_calls.operator.copying import OperatorCopyingAsyncCalls
from venue.client.async_calls.operator.explain import OperatorExplainAsyncCalls
from venue.client.async_calls.operator.faults import OperatorFaultsAsyncCalls
from venue.client.async_calls.operator.fee_tiers import OperatorFeeTiersAsyncCalls
from venue.client.async_calls.operator.preview import OperatorPreviewAsyncCalls
from venue.client.async_calls.operator.references import OperatorReferencesAsyncCalls
from venue.client.async_calls.operator.snapshots import OperatorSnapshotsAsyncCalls
from venue.client.async_calls.operator.venue import OperatorVenueAsyncCalls
from venue.client.async_calls.operator.wire import OperatorWireAsyncCalls
from venue.client.async_calls.operator.worlds import OperatorWorldsAsyncCalls
from venue.client.async_calls.spot.account import SpotAccountAsyncCalls
from venue.client.async_calls.spot.affiliates import SpotAffiliatesAsyncCalls
from venue.client.async_calls.spot.commissions import SpotCommissionsAsyncCalls
from venue.client.async_calls.spot.content import SpotContentAsyncCalls
from venue.client.async_calls.spot.market import SpotMarketAsyncCalls
from venue.client.async_calls.spot.orders import SpotOrdersAsyncCalls
from venue.client.async_calls.spot.withdrawals import SpotWithdrawalsAsyncCalls


class AsyncCalls(
    SpotMarketAsyncCalls,
    SpotAccountAsyncCalls,
    SpotOrdersAsyncCalls,
    SpotAffiliatesAsyncCalls,
    SpotCommissionsAsyncCalls,
    SpotWithdrawalsAsyncCalls,
    SpotContentAsyncCalls,
    ContractMarketAsyncCalls,
    ContractAccountAsyncCalls,
    ContractOrdersAsyncCalls,
    ContractConditionalAsyncCalls,
    ContractDemoAsyncCalls,
    CountdownAsyncCalls,
    CopyingFollowerAsyncCalls,
    CopyingTraderAsyncCalls,
    OperatorVenueAsyncCalls,
    OperatorContractsAsyncCalls,
    OperatorBenefitsAsyncCalls,
    OperatorContentAsyncCalls,
    OperatorFeeTiersAsyncCalls,
    OperatorCopyingAsyncCalls,
    OperatorPreviewAsyncCalls,
    OperatorFaultsAsyncCalls,
    OperatorClockAsyncCalls,
    OperatorReferencesAsyncCalls,
    OperatorSnapshotsAsyncCalls,
    OperatorWorldsAsyncCalls,
    OperatorWireAsyncCalls,
    OperatorExplainAsyncCalls,
    OperatorBundleAsyncCalls,
):
    """A method for each row of the table of operations."""
