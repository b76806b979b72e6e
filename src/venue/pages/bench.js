/** The bench: a program's requests beside the book, its orders, its money, and the reasons. */

import { render } from "./vendor/preact.js";
import { Account } from "./components/account.js";
import { Book, Tape } from "./components/book.js";
import { Chart } from "./components/chart.js";
import { Controls } from "./components/controls.js";
import { Header, Trouble, viewed } from "./components/header.js";
import { WhyDrawer } from "./components/why.js";
import { WirePanel } from "./components/wire.js";
import * as details from "./details.js";
import * as events from "./events.js";
import { html } from "./html.js";
import { refresh } from "./listed.js";
import { go } from "./route.js";
import { session } from "./session.js";
import { announced, epoch } from "./state.js";

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
      <${WhyDrawer} />
    </main>
    <${Controls} />
    <div class="unseen" role="status" aria-live="polite">${announced.value}</div>`;
}

const root = document.getElementById("page");
if (root) {
  root.replaceChildren();
  render(html`<${Page} />`, root);
}
session().then(
  ({ owner }) => {
    if (owner) go({ owner }, { quietly: true });
    return refresh();
  },
  () => undefined, // the stream says what is wrong
);
details.begin();
events.begin();
