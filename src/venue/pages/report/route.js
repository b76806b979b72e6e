/** A report's place, after the # of its address: it is one file. */

import { addressed } from "../addresses.js";
import { report } from "./session.js";

const [[product, symbol] = ["contract", "BTCUSDT"]] = report.markets;

export const { place, linked, go, follow } = addressed(
  {
    product: /** @type {import("../addresses.js").Product} */ (product),
    symbol,
    owner: report.owners[0] ?? "alice",
    tab: "fills",
    by: "",
    operation: "",
    show: "requests",
  },
  () => location.hash,
  "#",
);
