"""The rows of the table of operations as methods, for every client."""

from __future__ import annotations

from venue.api import countdown as countdowns
from venue.api import own
from venue.api.contract import account as contract_account
from venue.api.contract import conditional as contract_conditional
from venue.api.contract import demo as contract_demo
from venue.api.contract import market as contract_market
from venue.api.contract import orders as contract_orders
from venue.api.copying import follower as copying_follower
from venue.api.copying import trader as copying_trader
from venue.api.operator import benefits as operator_benefits
from venue.api.operator import bundle as operator_bundle
from venue.api.operator import clock as operator_clock
from venue.api.operator import content as operator_content
from venue.api.operator import contracts as operator_contracts
from venue.api.operator import copying as operator_copying
from venue.api.operator import explain as operator_explain
from venue.api.operator import faults as operator_faults
from venue.api.operator import fee_tiers as operator_fee_tiers
from venue.api.operator import preview as operator_preview
from venue.api.operator import references as operator_references
from venue.api.operator import snapshots as operator_snapshots
from venue.api.operator import venue as operator_venue
from venue.api.operator import wire as operator_wire
from venue.api.operator import worlds as operator_worlds
from venue.api.spot import account as spot_account
from venue.api.spot import affiliates as spot_affiliates
from venue.api.spot import commissions as spot_commissions
from venue.api.spot import content as spot_content
from venue.api.spot import market as spot_market
from venue.api.spot import orders as spot_orders
from venue.api.spot import withdrawals as spot_withdrawals
from venue.client.calls import Call, Each


class Methods:
    """A method for each row of docs/operations.md; parameters have their names in snake case.

    `each_...` asks for page after page of a list. Parameters that are left out are not sent.
    Methods raise Refused, Unreachable and Misused.
    """

    ping = Call(spot_market.ping)
    time = Call(spot_market.time)
    coins = Call(spot_market.coins)
    exchange_info = Call(spot_market.exchange_info)
    trading_symbols = Call(spot_market.trading_symbols)
    prices = Call(spot_market.prices)
    tickers = Call(spot_market.tickers)
    book_tickers = Call(spot_market.book_tickers)
    trades = Call(spot_market.trades)
    klines = Call(spot_market.klines)
    depth = Call(spot_market.depth)

    account = Call(spot_account.account)
    bills = Call(spot_account.bills)
    each_bills = Each(spot_account.bills)
    funding_bills = Call(spot_account.funding_bills)
    each_funding_bills = Each(spot_account.funding_bills, lambda page: page.items)
    transfer_records = Call(spot_account.transfer_records)
    tax_income = Call(spot_account.tax_income)
    each_tax_income = Each(spot_account.tax_income)

    place_order = Call(spot_orders.place_order)
    place_batch = Call(spot_orders.place_batch)
    cancel_order = Call(spot_orders.cancel_order)
    cancel_open_orders = Call(spot_orders.cancel_open_orders)
    cancel_batch = Call(spot_orders.cancel_batch)
    order = Call(spot_orders.order)
    open_orders = Call(spot_orders.open_orders)
    all_orders = Call(spot_orders.all_orders)
    each_all_orders = Each(spot_orders.all_orders)
    my_trades = Call(spot_orders.my_trades)

    invited_owners = Call(spot_affiliates.invited_owners)
    each_invited_owners = Each(
        spot_affiliates.invited_owners, lambda page: page.channel_user_info_item_list
    )
    referrals = Call(spot_affiliates.referrals)
    eligibility = Call(spot_affiliates.eligibility)
    rebate_ratio = Call(spot_affiliates.rebate_ratio)
    rebates = Call(spot_affiliates.rebates)
    each_rebates = Each(spot_affiliates.rebates, lambda page: page.records)

    invited_trades = Call(spot_commissions.invited_trades)
    each_invited_trades = Each(spot_commissions.invited_trades, lambda page: page.records)
    commissions = Call(spot_commissions.commissions)
    each_commissions = Each(
        spot_commissions.commissions, lambda page: page.channel_commission_info_items
    )
    sub_commissions = Call(spot_commissions.sub_commissions)
    each_sub_commissions = Each(spot_commissions.sub_commissions, lambda page: page.records)
    post_sub_commissions = Call(spot_commissions.post_sub_commissions)
    each_post_sub_commissions = Each(
        spot_commissions.post_sub_commissions, lambda page: page.records
    )
    invited_assets = Call(spot_commissions.invited_assets)
    invited_deals = Call(spot_commissions.invited_deals)

    internal_withdrawals = Call(spot_withdrawals.internal_withdrawals)
    each_internal_withdrawals = Each(spot_withdrawals.internal_withdrawals, lambda page: page.items)
    internal_withdrawal = Call(spot_withdrawals.internal_withdrawal)

    article = Call(spot_content.article)
    articles = Call(spot_content.articles)
    each_articles = Each(spot_content.articles, lambda page: page.items)
    articles_of_coin = Call(spot_content.articles_of_coin)
    each_articles_of_coin = Each(spot_content.articles_of_coin, lambda page: page.items)
    banners = Call(spot_content.banners)

    contract_exchange_info = Call(contract_market.contract_exchange_info)
    contract_time = Call(contract_market.contract_time)
    contract_trading_symbols = Call(contract_market.contract_trading_symbols)
    contract_depth = Call(contract_market.contract_depth)
    contract_tickers = Call(contract_market.contract_tickers)
    contract_book_tickers = Call(contract_market.contract_book_tickers)
    contract_trades = Call(contract_market.contract_trades)
    contract_klines = Call(contract_market.contract_klines)
    index_klines = Call(contract_market.index_klines)
    mark_klines = Call(contract_market.mark_klines)
    history_klines = Call(contract_market.history_klines)
    symbol_price = Call(contract_market.symbol_price)
    open_interest = Call(contract_market.open_interest)
    premium_index = Call(contract_market.premium_index)
    funding_rates = Call(contract_market.funding_rates)

    contract_balance = Call(contract_account.contract_balance)
    commission_rate = Call(contract_account.commission_rate)
    account_config = Call(contract_account.account_config)
    symbol_config = Call(contract_account.symbol_config)
    positions = Call(contract_account.positions)
    position = Call(contract_account.position)
    income = Call(contract_account.income)
    each_income = Each(contract_account.income, lambda page: page.items)
    set_margin_type = Call(contract_account.set_margin_type)
    set_leverage = Call(contract_account.set_leverage)
    move_margin = Call(contract_account.move_margin)
    set_auto_margin = Call(contract_account.set_auto_margin)

    place_contract_order = Call(contract_orders.place_contract_order)
    place_contract_batch = Call(contract_orders.place_contract_batch)
    cancel_contract_order = Call(contract_orders.cancel_contract_order)
    cancel_contract_batch = Call(contract_orders.cancel_contract_batch)
    cancel_contract_open_orders = Call(contract_orders.cancel_contract_open_orders)
    close_positions = Call(contract_orders.close_positions)
    contract_order = Call(contract_orders.contract_order)
    contract_open_orders = Call(contract_orders.contract_open_orders)
    each_contract_open_orders = Each(contract_orders.contract_open_orders)
    contract_order_history = Call(contract_orders.contract_order_history)
    each_contract_order_history = Each(contract_orders.contract_order_history)
    user_trades = Call(contract_orders.user_trades)

    place_algo = Call(contract_conditional.place_algo)
    place_exit = Call(contract_conditional.place_exit)
    change_exit = Call(contract_conditional.change_exit)
    cancel_algo = Call(contract_conditional.cancel_algo)
    cancel_algos = Call(contract_conditional.cancel_algos)
    open_algos = Call(contract_conditional.open_algos)
    each_open_algos = Each(contract_conditional.open_algos)
    all_algos = Call(contract_conditional.all_algos)
    open_trailing = Call(contract_conditional.open_trailing)
    each_open_trailing = Each(contract_conditional.open_trailing)
    trailing_history = Call(contract_conditional.trailing_history)
    each_trailing_history = Each(contract_conditional.trailing_history)

    demo_balance = Call(contract_demo.demo_balance)
    demo_positions = Call(contract_demo.demo_positions)
    demo_order_history = Call(contract_demo.demo_order_history)
    each_demo_order_history = Each(contract_demo.demo_order_history)
    place_demo_order = Call(contract_demo.place_demo_order)

    cancel_after = Call(countdowns.cancel_after)
    contract_cancel_after = Call(countdowns.contract_cancel_after)

    open_copies = Call(copying_follower.open_copies)
    each_open_copies = Each(copying_follower.open_copies)
    copy_settings = Call(copying_follower.copy_settings)
    set_copy_settings = Call(copying_follower.set_copy_settings)
    close_copy = Call(copying_follower.close_copy)
    stop_copying = Call(copying_follower.stop_copying)
    ended_copies = Call(copying_follower.ended_copies)
    my_traders = Call(copying_follower.my_traders)
    each_my_traders = Each(copying_follower.my_traders, lambda page: page.traders)

    open_tracks = Call(copying_trader.open_tracks)
    each_open_tracks = Each(copying_trader.open_tracks)
    ended_tracks = Call(copying_trader.ended_tracks)
    copied_pairs = Call(copying_trader.copied_pairs)

    places = Call(own.places)
    own_wire = Call(own.own_wire)

    health = Call(operator_venue.health)
    owners = Call(operator_venue.owners)
    create_owner = Call(operator_venue.create_owner)
    freeze_owner = Call(operator_venue.freeze_owner)
    set_fees = Call(operator_venue.set_fees)
    keys = Call(operator_venue.keys)
    create_key = Call(operator_venue.create_key)
    revoke_key = Call(operator_venue.revoke_key)
    deposit = Call(operator_venue.deposit)
    withdraw = Call(operator_venue.withdraw)
    transfer = Call(operator_venue.transfer)
    assets = Call(operator_venue.assets)
    register_asset = Call(operator_venue.register_asset)
    instruments = Call(operator_venue.instruments)
    list_instrument = Call(operator_venue.list_instrument)
    change_instrument = Call(operator_venue.change_instrument)
    halt = Call(operator_venue.halt)
    resume = Call(operator_venue.resume)
    settings = Call(operator_venue.settings)
    change_settings = Call(operator_venue.change_settings)

    contracts = Call(operator_contracts.contracts)
    list_contract = Call(operator_contracts.list_contract)
    change_contract = Call(operator_contracts.change_contract)
    preview_change = Call(operator_contracts.preview_change)
    halt_contract = Call(operator_contracts.halt_contract)
    resume_contract = Call(operator_contracts.resume_contract)
    delist_contract = Call(operator_contracts.delist_contract)
    settle_contract = Call(operator_contracts.settle_contract)
    post_index = Call(operator_contracts.post_index)
    operator_positions = Call(operator_contracts.operator_positions)
    liquidations = Call(operator_contracts.liquidations)
    liquidation = Call(operator_contracts.liquidation)

    benefits = Call(operator_benefits.benefits)
    give_gift = Call(operator_benefits.give_gift)
    take_gift = Call(operator_benefits.take_gift)
    discount = Call(operator_benefits.discount)
    set_discount = Call(operator_benefits.set_discount)
    join_discount = Call(operator_benefits.join_discount)
    set_affiliate = Call(operator_benefits.set_affiliate)
    invite = Call(operator_benefits.invite)

    post_article = Call(operator_content.post_article)
    post_banner = Call(operator_content.post_banner)
    remove_content = Call(operator_content.remove_content)

    fee_tiers = Call(operator_fee_tiers.fee_tiers)
    set_fee_tiers = Call(operator_fee_tiers.set_fee_tiers)
    fee_tier = Call(operator_fee_tiers.fee_tier)

    leads = Call(operator_copying.leads)
    set_lead = Call(operator_copying.set_lead)

    preview = Call(operator_preview.preview)

    faults = Call(operator_faults.faults)
    add_fault = Call(operator_faults.add_fault)
    clear_faults = Call(operator_faults.clear_faults)
    change_fault = Call(operator_faults.change_fault)
    remove_fault = Call(operator_faults.remove_fault)
    try_fault = Call(operator_faults.try_fault)
    fault_presets = Call(operator_faults.fault_presets)
    apply_fault_preset = Call(operator_faults.apply_fault_preset)

    clock = Call(operator_clock.clock)
    change_clock = Call(operator_clock.change_clock)
    advance_clock = Call(operator_clock.advance_clock)
    stop = Call(operator_clock.stop)

    references = Call(operator_references.references)
    hold_index = Call(operator_references.hold_index)
    release_index = Call(operator_references.release_index)
    crash = Call(operator_references.crash)

    snapshots = Call(operator_snapshots.snapshots)
    keep_snapshot = Call(operator_snapshots.keep_snapshot)
    delete_snapshot = Call(operator_snapshots.delete_snapshot)
    revert = Call(operator_snapshots.revert)
    reset = Call(operator_snapshots.reset)

    worlds = Call(operator_worlds.worlds)
    create_world = Call(operator_worlds.create_world)
    delete_world = Call(operator_worlds.delete_world)

    wire = Call(operator_wire.wire)

    explain_order = Call(operator_explain.explain_order)
    explain_refusal = Call(operator_explain.explain_refusal)
    explain_bill = Call(operator_explain.explain_bill)
    explain_liquidation = Call(operator_explain.explain_liquidation)

    bundle = Call(operator_bundle.bundle)
    bundle_snapshot = Call(operator_bundle.bundle_snapshot)
    bundle_commands = Call(operator_bundle.bundle_commands)
