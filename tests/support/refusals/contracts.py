"""All tables of the contract side."""

from __future__ import annotations

from support.refusals import (
    affiliate_reports,
    affiliates,
    benefit_operators,
    content,
    contract_algos,
    contract_operators,
    contract_orders,
    contract_reads,
    contract_settings,
)

_TABLES = (
    contract_orders,
    contract_algos,
    contract_settings,
    contract_reads,
    contract_operators,
    benefit_operators,
    affiliates,
    affiliate_reports,
    content,
)
CASES = [case for table in _TABLES for case in table.CASES]
ACCEPTED = [
    *contract_reads.ACCEPTED,
    *affiliates.ACCEPTED,
    *affiliate_reports.ACCEPTED,
    *content.ACCEPTED,
]
# Rows with a test of their own.
ELSEWHERE = (
    ("D0", "-1150"),
    ("D27", "200"),
    ("F5", "CONTRACT_ORDER_NOT_EXIST"),
    ("L4", "200"),
    ("L7", "200"),
    ("L10", "200"),
    ("E5", "200"),
    ("D24", "200"),
)
