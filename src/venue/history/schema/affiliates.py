"""The tables of affiliates, as in `spot`."""

from typing import Final

from venue.history.schema.spot import told
from venue.history.tables import affiliates

COMMISSIONS: Final = told(affiliates.CommissionRow)
INTERNAL_WITHDRAWALS: Final = told(affiliates.WithdrawalRow)
