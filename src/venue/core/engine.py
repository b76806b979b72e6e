"""apply(command) -> events: the one table from command type to rule, and read-only questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from venue.core.connections import Connections
from venue.core.content import Content
from venue.core.contract.closing import Closing
from venue.core.contract.conditional.triggers import Triggers
from venue.core.contract.consequences import Schedule
from venue.core.contract.leverage import Margins
from venue.core.contract.listing import ContractListing
from venue.core.contract.orders import Contracts
from venue.core.contract.records import Holding, Perpetual
from venue.core.copying.copying import Copying
from venue.core.copying.people import Trader
from venue.core.countdowns import Countdowns
from venue.core.counters import Counters
from venue.core.fee_tiers import FeeTiers
from venue.core.freezing import Freezing
from venue.core.instruments import Asset
from venue.core.ledger.accounts import Account
from venue.core.ledger.ledger import Ledger
from venue.core.listing import Listing
from venue.core.messages.benefit_commands import (
    ChangeGift,
    InternalWithdraw,
    Invite,
    JoinDiscount,
    PostArticle,
    PostBanner,
    RemoveContent,
    SetAffiliate,
    SetDiscount,
    SetFeeTiers,
)
from venue.core.messages.commands import (
    CancelAlgo,
    CancelAlgos,
    CancelContractOrder,
    CancelContractOrders,
    CancelOrder,
    CancelOrders,
    ChangeAlgo,
    ChangeContract,
    ChangeInstrument,
    ChangeSetting,
    ClosePositions,
    Command,
    CreateOwner,
    DelistContract,
    Deposit,
    EndConnection,
    FreezeOwner,
    GuardOrders,
    HaltInstrument,
    ListContract,
    ListInstrument,
    MoveMargin,
    PlaceAlgo,
    PlaceContractOrder,
    PlaceOrder,
    PostIndex,
    Proceed,
    RecordStreams,
    RegisterAsset,
    SetAutoMargin,
    SetCancelAfter,
    SetFees,
    SetLeverage,
    SetMarginMode,
    SettleContract,
    Tick,
    Transfer,
    Withdraw,
)
from venue.core.messages.contract_events import ContractTrade
from venue.core.messages.copy_commands import CloseCopy, Follow, SetLead, StopCopying
from venue.core.messages.events import Event, Rejected
from venue.core.messages.quote_commands import MoveQuotes
from venue.core.messages.savepoints import (
    DropState,
    KeepState,
    RevertState,
    StateKept,
    StateReverted,
)
from venue.core.owners import Owners
from venue.core.permitted import REFUSED_FROZEN
from venue.core.quotes import Quotes
from venue.core.references import MoneyReferences
from venue.core.rewards import Rewards
from venue.core.savepoints import KEPT_MAX, Savepoint, Savepoints
from venue.core.spot.account import SpotAccount, SpotMarket
from venue.core.spot.orders import Spot
from venue.core.withdrawals import Withdrawals
from venue.vocabulary import Reject

# Compiled, a name of another module is looked up at every use, a constant of this one is not.
PLACE: Final = PlaceOrder
CANCEL: Final = CancelOrder
PLACE_CONTRACT: Final = PlaceContractOrder
CANCEL_CONTRACT: Final = CancelContractOrder


class Codec(Protocol):
    """Turns an engine's state into bytes, and back."""

    def encode(self, engine: Engine) -> bytes:
        """Return the state, without savepoints, sequence and time."""

    def decode(self, savepoint: Savepoint) -> Engine:
        """Return an engine with that state."""


class NoCodec:
    """The codec of an engine that keeps no states."""

    def encode(self, engine: Engine) -> bytes:
        raise NotImplementedError("an engine of `snapshot.begin` keeps states")

    def decode(self, savepoint: Savepoint) -> Engine:
        raise NotImplementedError("an engine of `snapshot.begin` keeps states")


class Engine:
    """The whole state of the venue. Deterministic: the same commands give the same events.

    `sequence` counts applied commands, `time` is the last command's (µs). `codec` saves and
    restores states: an engine without one accepts no such commands.
    """

    __slots__ = (
        "_handlers",
        "closing",
        "codec",
        "connections",
        "content",
        "contracts",
        "copying",
        "countdowns",
        "counters",
        "fee_tiers",
        "ledger",
        "listing",
        "owners",
        "references",
        "rewards",
        "savepoints",
        "schedule",
        "sequence",
        "spot",
        "time",
        "withdrawals",
    )

    def __init__(self) -> None:
        self.sequence = 0
        self.time = 0
        self.codec: Codec = NoCodec()
        self.savepoints = Savepoints()
        self.ledger = Ledger()
        self.counters = Counters()
        self.spot = Spot(self.ledger, self.counters)
        self.contracts = Contracts(self.ledger, self.counters, self.spot.markets)
        self.owners = Owners(self.ledger, self.contracts)
        self.rewards = Rewards(self.ledger, self.contracts)
        self.references = MoneyReferences(self.owners, self.rewards)
        self.withdrawals = Withdrawals(self.owners)
        self.content = Content()
        self.fee_tiers = FeeTiers(self.owners, self.spot, self.contracts)
        self.listing = Listing(self.ledger, self.spot, self.contracts)
        self.countdowns = Countdowns(self.spot, self.contracts)
        self.connections = Connections(self.spot, self.contracts)
        self.schedule = Schedule(self.contracts, Triggers(self.contracts))
        self.closing = Closing(self.contracts)
        self.copying = Copying(self.contracts, Margins(self.contracts))
        self._handlers = self._handler_table()

    def _handler_table(self) -> dict[type, Callable[[Any], list[Event]]]:
        """Return the table from command type to handler, for the engine's present parts."""
        triggers = self.schedule.triggers
        margins = Margins(self.contracts)
        contract_listing = ContractListing(self.contracts, self.schedule.terms)
        return {
            KeepState: self._keep,
            RevertState: self._revert,
            DropState: self.savepoints.drop,
            CancelOrders: self.spot.cancel_all,
            Tick: self._tick,
            Proceed: self._proceed,
            SetCancelAfter: self.countdowns.set,
            GuardOrders: self.connections.guard,
            EndConnection: self.connections.end,
            MoveQuotes: Quotes(self.spot, self.contracts).move,
            CreateOwner: self.owners.create,
            FreezeOwner: Freezing(self.owners, self.spot, self.contracts).freeze,
            Deposit: self.references.deposit,
            Withdraw: self.references.withdraw,
            Transfer: self.references.transfer,
            RecordStreams: self.owners.record_streams,
            **self._handlers_of_grants(),
            RegisterAsset: self.listing.register,
            ListInstrument: self.listing.list_instrument,
            ChangeInstrument: self.listing.change_instrument,
            HaltInstrument: self.listing.halt,
            ChangeSetting: self.listing.change_setting,
            CancelContractOrders: self.contracts.cancel_all,
            ClosePositions: self._close_positions,
            PlaceAlgo: triggers.place,
            ChangeAlgo: triggers.change,
            CancelAlgo: triggers.cancel,
            CancelAlgos: triggers.cancel_all,
            SetLeverage: margins.set_leverage,
            SetMarginMode: margins.set_mode,
            MoveMargin: margins.move_margin,
            SetAutoMargin: margins.set_auto,
            ListContract: contract_listing.list_contract,
            ChangeContract: contract_listing.change_contract,
            DelistContract: self.schedule.delisting.delist,
            SettleContract: self.schedule.delisting.settle,
            PostIndex: self._post_index,
            SetLead: self.copying.set_lead,
            Follow: self.copying.follow,
            StopCopying: self.copying.stop,
            CloseCopy: self._close_copy,
        }

    def _handlers_of_grants(self) -> dict[type, Callable[[Any], list[Event]]]:
        return {
            SetFees: self.fee_tiers.set_fees,
            SetFeeTiers: self.fee_tiers.set_tiers,
            ChangeGift: self.references.change_gift,
            SetDiscount: self.rewards.set_discount,
            JoinDiscount: self.rewards.join_discount,
            SetAffiliate: self.rewards.set_affiliate,
            Invite: self.rewards.invite,
            InternalWithdraw: self.withdrawals.withdraw,
            PostArticle: self.content.post_article,
            PostBanner: self.content.post_banner,
            RemoveContent: self.content.remove,
        }

    def apply(self, command: Command) -> list[Event]:
        """Apply one command; its time must not be before the last one's."""
        time: int = command.time
        assert time >= self.time, f"the command's time {time} lies before {self.time}"
        self.time = time
        self.sequence += 1
        # The commands that matter for speed are called directly: mypyc then needs no wrapper.
        if type(command) is PLACE:
            events = self.spot.place(command)
            if command.connection:
                self.connections.note_placed(command, events)
        elif type(command) is CANCEL:
            events = self.spot.cancel(command)
        elif type(command) is PLACE_CONTRACT:
            contracts = self.contracts
            events = contracts.place(command)
            if command.connection:
                self.connections.note_placed(command, events)
            if len(events) > 1:
                if contracts.may_trigger(command.symbol):
                    self.schedule.fire_triggers(events, command.symbol, time)
                if contracts.collateral.copied:
                    self._copy(events, time)
        elif type(command) is CANCEL_CONTRACT:
            events = self.contracts.cancel(command)
        else:
            events = self._obey(command)
        if self.fee_tiers.tables:
            self.fee_tiers.count(events, time)
        if self.contracts.unfinished:
            self.closing.go_on_with(self.contracts.unfinished)
        return events

    def _obey(self, command: Any) -> list[Event]:
        """Apply a command that its owner's state allows (rule 2.7)."""
        if type(command) in REFUSED_FROZEN:
            account = self.ledger.accounts.get(command.uid)
            if account is not None and account.frozen:
                return [Rejected(Reject.ACCOUNT_FROZEN)]
        return self._handlers[type(command)](command)

    def _keep(self, command: KeepState) -> list[Event]:
        kept = self.savepoints.kept
        if command.name not in kept and len(kept) >= KEPT_MAX:
            return [Rejected(Reject.STATES_MAX, KEPT_MAX)]
        kept.pop(command.name, None)
        # A kept state brings back orders, and no connection that guards them.
        guarded, self.connections.guarded = self.connections.guarded, {}
        state = self.codec.encode(self)
        self.connections.guarded = guarded
        kept[command.name] = Savepoint(
            command.name, self.sequence, command.time, state, command.aside
        )
        return [StateKept(command.name, self.sequence)]

    def _revert(self, command: RevertState) -> list[Event]:
        """Replace the engine's parts by those of a saved state. The time goes back; the sequence
        does not, because it numbers the journal."""
        savepoints = self.savepoints
        kept = savepoints.kept.get(command.name)
        if kept is None:
            return [Rejected(Reject.STATE_UNKNOWN)]
        other = self.codec.decode(kept)
        self.ledger, self.counters, self.spot = other.ledger, other.counters, other.spot
        self.contracts, self.owners, self.rewards = other.contracts, other.owners, other.rewards
        self.listing, self.countdowns = other.listing, other.countdowns
        self.connections = other.connections
        self.withdrawals, self.content = other.withdrawals, other.content
        self.fee_tiers, self.references = other.fee_tiers, other.references
        self.schedule, self.closing, self.copying = other.schedule, other.closing, other.copying
        self.time = kept.time
        self._handlers = self._handler_table()
        savepoints.epoch += 1
        return [StateReverted(kept.name, kept.sequence, kept.time, savepoints.epoch, kept.aside)]

    def _tick(self, command: Tick) -> list[Event]:
        self.spot.client_ids.expire(command.time)
        events = self.countdowns.pass_time(command.time)
        events += self.schedule.tick(command.time)
        events += self.rewards.pass_time(command.time)
        events += self.fee_tiers.pass_time(command.time)
        self._copy(events, command.time)
        if self.copying.books.traders:
            self._add_copying(events, self.copying.pass_time(command.time), command.time)
        return events

    def _proceed(self, command: Proceed) -> list[Event]:
        events = self.countdowns.pass_time(command.time)
        if self.closing.running:
            events += self._add_triggered(self.closing.proceed(command.time), command.time)
        events += self.schedule.proceed(command.time)
        events += self.rewards.pass_time(command.time)
        events += self.fee_tiers.pass_time(command.time)
        self._copy(events, command.time)
        return events

    def _close_positions(self, command: ClosePositions) -> list[Event]:
        events = self._add_triggered(self.closing.close(command, self.sequence), command.time)
        self._copy(events, command.time)
        return events

    def _post_index(self, command: PostIndex) -> list[Event]:
        events = self.schedule.post_index(command)
        self._copy(events, command.time)
        return events

    def _close_copy(self, command: CloseCopy) -> list[Event]:
        events: list[Event] = []
        self._add_copying(events, self.copying.close(command), command.time)
        return events

    def _copy(self, events: list[Event], time: int) -> None:
        """Process the trades for copy trading, then let followers repeat a slice of their leads'
        fills."""
        if self.contracts.collateral.copied:
            events += self.copying.books.note(events, time)
        if self.copying.books.echoes or self.copying.settling > 0:
            self._add_copying(events, self.copying.work(time), time)
        self.contracts.collateral.copied = False

    def _add_copying(self, events: list[Event], said: list[Event], time: int) -> None:
        """Append the events `said` of copying, and the conditional orders that they trigger."""
        known = len(said)
        if known:
            self._add_triggered(said, time)
            events += said
            events += self.copying.books.note(said[known:], time)
        self.contracts.collateral.copied = False

    def _add_triggered(self, events: list[Event], time: int) -> list[Event]:
        """Add the conditional orders that trades among the events triggered."""
        traded = [event.symbol for event in events if isinstance(event, ContractTrade)]
        for symbol in dict.fromkeys(traded):
            if self.contracts.may_trigger(symbol):
                self.schedule.fire_triggers(events, symbol, time)
        return events

    # -- read-only questions ---------------------------------------------------------------------

    def pending(self) -> bool:
        """Return whether more is due than one command may do: `Proceed` continues it.

        It is asked after each batch, so it reads what each part has left, and calls as little as
        possible.
        """
        if self.closing.running or self.rewards.queue or self.fee_tiers.queue:
            return True
        if self.copying.books.echoes or self.copying.settling > 0:
            return True
        if self.countdowns.queue and self.countdowns.due(self.time):
            return True
        return self.schedule.goes_on()

    @property
    def accounts(self) -> dict[int, Account]:
        """The owners by uid."""
        return self.ledger.accounts

    @property
    def uids(self) -> dict[str, int]:
        """The uids by owners' names."""
        return self.ledger.names

    @property
    def assets(self) -> list[Asset]:
        """The assets by ordinal."""
        return self.ledger.assets

    @property
    def ordinals(self) -> dict[str, int]:
        """The ordinals by assets' names."""
        return self.ledger.ordinals

    @property
    def spot_markets(self) -> dict[str, SpotMarket]:
        """The spot markets by symbol, in the order of listing."""
        return self.spot.markets

    @property
    def perps(self) -> dict[str, Perpetual]:
        """The contracts by symbol, in the order of listing."""
        return self.contracts.markets

    @property
    def leads(self) -> dict[int, Trader]:
        """The lead traders of copying by uid."""
        return self.copying.books.traders

    @property
    def settings(self) -> dict[str, str]:
        """The venue's settings by name."""
        return self.listing.settings

    @property
    def epoch(self) -> int:
        """How often the state was reverted."""
        return self.savepoints.epoch

    @property
    def kept_states(self) -> dict[str, Savepoint]:
        """The kept states by name, oldest first."""
        return self.savepoints.kept

    def account(self, uid: int) -> Account:
        """Return the owner with this uid; KeyError when there is none."""
        return self.ledger.accounts[uid]

    def spot_account(self, uid: int) -> SpotAccount:
        """Return the spot side of the owner with this uid; create an empty one if there is none,
        which is no state. KeyError for an unknown uid."""
        return self.spot.account_of(self.ledger.accounts[uid])

    def holding(self, uid: int) -> Holding:
        """Return the contract side of the owner with this uid; created and refused as
        `spot_account`."""
        return self.contracts.collateral.holding_of(self.ledger.accounts[uid])

    def market(self, symbol: str) -> SpotMarket | None:
        """Return the market of a symbol, or None."""
        return self.spot.markets.get(symbol)
