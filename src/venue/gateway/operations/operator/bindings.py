"""The rows under `/_venue/` with the handlers that answer them."""

from __future__ import annotations

from venue.api import errors
from venue.api.operator import benefits as benefits_rows
from venue.api.operator import bundle as bundle_rows
from venue.api.operator import clock as clock_rows
from venue.api.operator import content as content_rows
from venue.api.operator import contracts as contracts_rows
from venue.api.operator import copying as copying_rows
from venue.api.operator import explain as explain_rows
from venue.api.operator import faults as faults_rows
from venue.api.operator import fee_tiers as fee_tiers_rows
from venue.api.operator import preview as preview_rows
from venue.api.operator import references as reference_rows
from venue.api.operator import snapshots as snapshots_rows
from venue.api.operator import venue as venue_rows
from venue.api.operator import wire as wire_rows
from venue.api.operator import worlds as worlds_rows
from venue.gateway.context import Node
from venue.gateway.dispatch.routes import Route, bind
from venue.gateway.operations.operator import (
    benefits,
    bundle,
    clock,
    content,
    contracts,
    copying,
    explain,
    faults,
    fee_tiers,
    keys,
    preview,
    references,
    settings,
    snapshots,
    venue,
    wire,
    worlds,
)


def not_practice(node: Node) -> str:
    """The reason that keeps an operation closed on a venue with real money: there are no deliberate
    failures, and time cannot be moved. Empty: it is open."""
    return "" if node.practice else errors.PRACTICE


def bindings() -> list[Route]:
    """One binding per row, in the order of the rows."""
    return [*_always(), *_practice(), *_told()]


def _practice() -> list[Route]:
    """The rows of a practice venue alone."""
    return [
        bind(faults_rows.faults, faults.faults, not_practice),
        bind(faults_rows.add_fault, faults.add_fault, not_practice),
        bind(faults_rows.clear_faults, faults.clear_faults, not_practice),
        bind(faults_rows.change_fault, faults.change_fault, not_practice),
        bind(faults_rows.remove_fault, faults.remove_fault, not_practice),
        bind(faults_rows.try_fault, faults.try_fault, not_practice),
        bind(faults_rows.fault_presets, faults.presets, not_practice),
        bind(faults_rows.apply_fault_preset, faults.apply_preset, not_practice),
        bind(clock_rows.clock, clock.clock, not_practice),
        bind(clock_rows.change_clock, clock.change_clock, not_practice),
        bind(clock_rows.advance_clock, clock.advance_clock, not_practice),
        bind(clock_rows.stop, clock.stop, not_practice),
        bind(reference_rows.references, references.references, not_practice),
        bind(reference_rows.hold_index, references.hold_index, not_practice),
        bind(reference_rows.release_index, references.release_index, not_practice),
        bind(reference_rows.crash, references.crash, not_practice),
        bind(snapshots_rows.snapshots, snapshots.snapshots, not_practice),
        bind(snapshots_rows.keep_snapshot, snapshots.keep, not_practice),
        bind(snapshots_rows.delete_snapshot, snapshots.drop, not_practice),
        bind(snapshots_rows.revert, snapshots.revert, not_practice),
        bind(snapshots_rows.reset, snapshots.reset, not_practice),
        bind(worlds_rows.worlds, worlds.worlds, not_practice),
        bind(worlds_rows.create_world, worlds.create_world, not_practice),
        bind(worlds_rows.delete_world, worlds.delete_world, not_practice),
    ]


def _always() -> list[Route]:
    return [
        bind(venue_rows.health, venue.health),
        bind(venue_rows.owners, venue.owners),
        bind(venue_rows.create_owner, venue.create_owner),
        bind(venue_rows.freeze_owner, venue.freeze_owner),
        bind(venue_rows.set_fees, venue.set_fees),
        bind(venue_rows.keys, keys.keys),
        bind(venue_rows.create_key, keys.create_key),
        bind(venue_rows.revoke_key, keys.revoke_key),
        bind(venue_rows.deposit, venue.deposit),
        bind(venue_rows.withdraw, venue.withdraw),
        bind(venue_rows.transfer, venue.transfer),
        bind(venue_rows.assets, venue.assets),
        bind(venue_rows.register_asset, venue.register_asset),
        bind(venue_rows.instruments, venue.instruments),
        bind(venue_rows.list_instrument, venue.list_instrument),
        bind(venue_rows.change_instrument, venue.change_instrument),
        bind(venue_rows.halt, venue.halt),
        bind(venue_rows.resume, venue.resume),
        bind(venue_rows.settings, settings.settings),
        bind(venue_rows.change_settings, settings.change_settings),
        bind(contracts_rows.contracts, contracts.contracts),
        bind(contracts_rows.list_contract, contracts.list_contract),
        bind(contracts_rows.change_contract, contracts.change_contract),
        bind(contracts_rows.preview_change, contracts.preview_change),
        bind(contracts_rows.halt_contract, contracts.halt_contract),
        bind(contracts_rows.resume_contract, contracts.resume_contract),
        bind(contracts_rows.delist_contract, contracts.delist_contract),
        bind(contracts_rows.settle_contract, contracts.settle_contract),
        bind(contracts_rows.post_index, contracts.post_index),
        bind(contracts_rows.operator_positions, contracts.positions),
        bind(contracts_rows.liquidations, contracts.liquidations),
        bind(contracts_rows.liquidation, contracts.liquidation),
        *_grants(),
        bind(copying_rows.leads, copying.leads),
        bind(copying_rows.set_lead, copying.set_lead),
        bind(preview_rows.preview, preview.preview),
    ]


def _grants() -> list[Route]:
    """The rows that grant owners benefits, and content to read."""
    return [
        bind(benefits_rows.benefits, benefits.benefits),
        bind(benefits_rows.give_gift, benefits.give_gift),
        bind(benefits_rows.take_gift, benefits.take_gift),
        bind(benefits_rows.discount, benefits.discount),
        bind(benefits_rows.set_discount, benefits.set_discount),
        bind(benefits_rows.join_discount, benefits.join_discount),
        bind(benefits_rows.set_affiliate, benefits.set_affiliate),
        bind(benefits_rows.invite, benefits.invite),
        bind(content_rows.post_article, content.post_article),
        bind(content_rows.post_banner, content.post_banner),
        bind(content_rows.remove_content, content.remove_content),
        bind(fee_tiers_rows.fee_tiers, fee_tiers.fee_tiers),
        bind(fee_tiers_rows.set_fee_tiers, fee_tiers.set_fee_tiers),
        bind(fee_tiers_rows.fee_tier, fee_tiers.fee_tier),
    ]


def _told() -> list[Route]:
    """The rows that tell past events."""
    return [
        bind(wire_rows.wire, wire.wire, wire.wire_off),
        bind(explain_rows.explain_order, explain.order, explain.explain_off),
        bind(explain_rows.explain_refusal, explain.refusal, explain.explain_off),
        bind(explain_rows.explain_bill, explain.bill, explain.explain_off),
        bind(explain_rows.explain_liquidation, explain.liquidation, explain.explain_off),
        bind(bundle_rows.bundle, bundle.bundle, bundle.bundle_off),
        bind(bundle_rows.bundle_snapshot, bundle.snapshot, bundle.bundle_off),
        bind(bundle_rows.bundle_commands, bundle.commands, bundle.bundle_off),
    ]
