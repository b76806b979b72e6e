/** What stands in the wire before the first request: how to point a program here. */

import { useState } from "../vendor/preact-hooks.js";
import { html } from "../html.js";
import { worded } from "../problems.js";
import { ask } from "../session.js";
import { quoted, urlOption } from "../shell.js";
import { announced, connection, depth, owner, product, symbol } from "../state.js";
import { Command, ToWhy } from "./parts.js";

/** @typedef {{title: string, words: string, lines: string[]}} Way */

const BEHIND = 5; // levels between the best bid and the order that is placed for a reader

/** @param {string} name whom the program acts for @returns {Record<string, Way>} */
function ways(name) {
  const who = quoted(name);
  const env = (/** @type {string} */ format) => `venue env ${who} --format ${format}${urlOption()}`;
  const ticker = `${location.origin}/api/v3/market/ticker/24hr?symbol=BTCUSDT`;
  return {
    any: {
      title: "Any program",
      words:
        "Runs it unchanged: the exchange's addresses lead here, its environment has the keys.",
      lines: [`venue with ${who}${urlOption()} -- python bot.py`],
    },
    python: {
      title: "ccxt, Python",
      words: "Prints a client with this venue's addresses and the keys.",
      lines: [env("ccxt-py")],
    },
    node: {
      title: "ccxt, JS",
      words: "Prints a client with this venue's addresses and the keys.",
      lines: [env("ccxt-js")],
    },
    freqtrade: {
      title: "freqtrade",
      words: "Prints the section exchange of its configuration.",
      lines: [env("freqtrade")],
    },
    curl: {
      title: "curl",
      words: "The first needs nothing; the second defines v, which signs requests.",
      lines: [`curl ${quoted(ticker)}`, `eval "$(${env("curl")})"`, "v GET /api/v3/account/"],
    },
  };
}

/** @param {{waits: boolean}} props */
export function Connect({ waits }) {
  const [chosen, setChosen] = useState("any");
  const found = ways(owner.value);
  const way = /** @type {Way} */ (found[chosen]);
  const live = connection.value.state === "live";
  return html`<div class="connect">
    <h3>Point your bot here</h3>
    <p>Each request of your program appears here, with its answer and the reasons for it.</p>
    <div class="choice" role="group" aria-label="Program">
      ${Object.entries(found).map(
        ([name, one]) => html`<button type="button" class="small" aria-pressed=${name === chosen}
          onClick=${() => setChosen(name)}>${one.title}</button>`,
      )}
    </div>
    <p class="dim">${way.words}</p>
    ${way.lines.map((line) => html`<${Command} key=${line} line=${line} />`)}
    ${
      waits &&
      html`<p class="waiting" role="status">
      <span class=${live ? "pulse" : ""} aria-hidden="true"></span>
      ${live ? "Waiting for the first request…" : "The venue is not reached yet…"}
    </p>`
    }
    <${PlaceOne} />
  </div>`;
}

/** A button that places a small order beside the market, so that something is to be seen. */
function PlaceOne() {
  const [told, setTold] = useState("");
  const [id, setId] = useState("");
  const price = depth.value?.bids[BEHIND]?.[0];
  const size = symbol.value.startsWith("BTC") ? "0.01" : "1";
  const place = async () => {
    const order = {
      symbol: symbol.value,
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: size,
      price,
    };
    try {
      const reply = await (product.value === "spot"
        ? ask("place_order", /** @type {any} */ (order), owner.value)
        : ask(
            "place_contract_order",
            /** @type {any} */ ({ ...order, positionSide: "LONG" }),
            owner.value,
          ));
      setId(String(reply.orderId));
      setTold(`Placed: BUY ${size} ${symbol.value} at ${price}. It is the ◆ in the book.`);
      announced.value = "The order is placed.";
    } catch (problem) {
      setTold(worded(problem));
    }
  };
  return html`<p class="place-one">
    <span class="dim">No bot at hand?</span>
    <button type="button" class="small" disabled=${!price}
      onClick=${place}>Place an order for me</button>
    ${told && html`<span class="dim">${told}</span>`}
    ${id && html`<${ToWhy} kind="order" id=${id}>Why it waits there<//>`}
  </p>`;
}
