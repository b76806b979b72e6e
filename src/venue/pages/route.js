/** The page's place: a path and a query. */

import { addressed } from "./addresses.js";

export const { place, linked, go, follow } = addressed(
  {
    product: "contract",
    symbol: "BTCUSDT",
    owner: "alice",
    tab: "position",
    by: "",
    operation: "",
    show: "requests",
  },
  () => `${location.pathname}${location.search}`,
);
