"""The tables of contracts, as in `spot`."""

from typing import Final

from venue.history.schema.spot import told
from venue.history.tables import contract

CONTRACT_ORDERS: Final = told(contract.ContractOrder)
# Orders that changed after they were placed: finds those that are older than a list reaches back.
UPDATED: Final = CONTRACT_ORDERS.c.update_time > CONTRACT_ORDERS.c.time
CONTRACT_FILLS: Final = told(contract.ContractFill)
INCOME: Final = told(contract.IncomeRow)
CONDITIONAL_ORDERS: Final = told(contract.Conditional)
POSITIONS: Final = told(contract.EndedPosition)
FUNDING_RATES: Final = told(contract.FundingRateRow)
LIQUIDATIONS: Final = told(contract.LiquidationRow)
LIQUIDATION_STEPS: Final = told(contract.StepRow)
DELEVERAGED: Final = told(contract.DeleveragedRow)
PRICE_MINUTES: Final = told(contract.PriceMinute)
