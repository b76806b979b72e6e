"""Buys below the mean of the last ten minutes, and sells above it."""

from freqtrade.strategy import IStrategy


class Turns(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "1m"
    startup_candle_count = 10
    minimal_roi = {"0": 0.01}  # noqa: RUF012
    stoploss = -0.05

    def lock_pair(self, pair, until, reason=None, side="*"):
        """No lock after an exit: it would end at the machine's next minute."""

    def populate_indicators(self, dataframe, metadata):
        dataframe["mean"] = dataframe["close"].rolling(10).mean()
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] < dataframe["mean"], "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] > dataframe["mean"], "exit_long"] = 1
        return dataframe
