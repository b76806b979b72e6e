/** The bench: a program's requests beside the book, its orders, its money, and the reasons. */

import { render } from "./vendor/preact.js";
import { effect, signal } from "./vendor/signals.js";
import { Account } from "./components/account.js";
import { Book, Tape } from "./components/book.js";
import { Chart } from "./components/chart.js";
import { Controls } from "./components/controls.js";
import { Header, Trouble, viewed } from "./components/header.js";
import { WirePanel } from "./components/wire.js";
import * as details from "./details.js";
import * as events from "./events.js";
import { html } from "./html.js";
import { refresh, watch } from "./listed.js";
import { go, place } from "./route.js";
import { session } from "./session.js";
import { announced, connection, epoch } from "./state.js";

/** The drawer, which is fetched when it is first opened. */
const drawer = signal(/** @type {any} */ (null));
effect(() => {
  if (place.value.why && !drawer.peek())
    import("./components/why.js").then(({ WhyDrawer }) => {
      drawer.value = WhyDrawer;
    });
});

function Page() {
  const market = viewed();
  return html`<${Header} />
    <${Trouble} />
    <main class="bench" id="main">
      <${Chart} key=${`${market} ${epoch.value}`} />
      <${Account} />
      <${Book} />
      <${Tape} />
      <${WirePanel} />
      ${drawer.value && html`<${drawer.value} />`}
    </main>
    <${Controls} />
    <div class="unseen" role="status" aria-live="polite">${announced.value}</div>`;
}

const root = document.getElementById("page");
if (root) {
  root.replaceChildren();
  render(html`<${Page} />`, root);
}
details.begin();
events.begin();
watch();
effect(() => {
  if (["live", "unknown"].includes(connection.value.state)) list();
});

async function list() {
  try {
    const { owner } = await session();
    if (owner) go({ owner }, { quietly: true });
    await refresh();
  } catch {
    // the lists stay as they were; the next connection asks again
  }
}
