// Runs before Streamlit's own script, which would show an empty page without a word: says what keeps the page from the
// server where its web socket is refused, or where a proxy has changed the page's path; and why a file did not arrive.

// One refused web socket may be a server that starts anew.
const REFUSALS = 2;

function say(heading, ...sentences) {
  const style = Object.assign(document.createElement("style"), { textContent: apart });
  const said = document.createElement("main");
  said.className = "goldviz-apart";
  said.setAttribute("role", "alert");
  for (const [tag, text] of [["h1", heading], ...sentences.map((sentence) => ["p", sentence])]) {
    said.append(Object.assign(document.createElement(tag), { textContent: text }));
  }
  said.prepend(style);
  document.body.append(said);
  return said;
}

// The base path at which a page was opened, if it is not the one below `root` where the server was asked for `path`.
export function otherBase(root, path, opened) {
  if (opened === path) return undefined;
  const page = path.slice(root.length - 1);
  return opened.endsWith(page) ? opened.slice(0, -page.length) : opened;
}

function tellOfPath(root, path) {
  const opened = decodeURI(location.pathname);
  const base = otherBase(root, path, opened);
  if (base === undefined) return;
  const option = base ? `with --base-path ${base.slice(1)}` : "without --base-path";
  say(
    "A proxy changes this page's path",
    `You opened ${opened}, and goldviz was asked for ${path}. So parts and links of the page lead nowhere.`,
    `Start goldviz ${option}, and let the proxy keep the path.`,
  );
}

// Streamlit tries again and again; what is said goes away once a web socket opens.
function watchWebSocket(root) {
  const Native = window.WebSocket;
  let refusals = 0;
  let opened = false;
  let said;

  async function tell() {
    const answer = await fetch(`${root}_stcore/stream`, { method: "POST" }).catch(() => undefined);
    if (opened || answer === undefined) return;
    const own = answer.status === 403 && answer.headers.get("content-type")?.startsWith("text/plain");
    const sentence = own
      ? await answer.text()
      : "Its web sockets do not arrive there. A proxy in front of goldviz has to pass them on.";
    said ??= say("This page cannot reach goldviz", sentence);
  }

  window.WebSocket = class extends Native {
    constructor(address, protocols) {
      super(address, protocols);
      this.addEventListener("open", () => {
        opened = true;
        said?.remove();
      });
      this.addEventListener("close", () => {
        refusals += 1;
        if (!opened && refusals >= REFUSALS) tell();
      });
    }
  };
}

const UPLOADS = "/_stcore/upload_file/";
const NAMES_AN_ERROR = /AxiosError|Network Error|Request failed/;
// So long an uploader takes, at most, to show that its upload failed.
const SHOWN_MS = 5000;

// Why a file did not arrive, by the answer's status and text; 0 without an answer.
export function whyRefused(status, own) {
  if (own) return own;
  if (status === 413) return "The file is too large for a proxy before goldviz. Whoever runs that can raise its limit.";
  if (status === 403) return "A proxy or frame around goldviz refused the file. Open goldviz in a tab of its own.";
  if (status === 507) return "The server holds as many files as it may. Wait five minutes, or reload the page.";
  if (!status) return "The line to this server was lost while the file was sent. Choose it again.";
  return `The server refused the file (${status}). Choose it again, or a smaller one.`;
}

// Writes the sentence in place of an error's name, once the uploader shows one.
function sayInUploader(sentence) {
  const replace = () => {
    for (const uploader of document.querySelectorAll("[data-testid=stFileUploader]")) {
      const texts = document.createTreeWalker(uploader, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        if (NAMES_AN_ERROR.test(texts.currentNode.nodeValue)) texts.currentNode.nodeValue = sentence;
      }
    }
  };
  const observer = new MutationObserver(replace);
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), SHOWN_MS);
  replace();
}

function watchUploads() {
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, address, ...more) {
    if (String(address).includes(UPLOADS) && method.toUpperCase() !== "DELETE") {
      this.addEventListener("loadend", () => {
        if (this.status >= 200 && this.status < 300) return;
        const plain = this.getResponseHeader("content-type")?.startsWith("text/plain");
        sayInUploader(whyRefused(this.status, plain && this.status === 403 ? this.responseText : ""));
      });
    }
    return open.call(this, method, address, ...more);
  };
}

let apart = "";

// `root` is the server's base path with a slash at its end, `path` the page's own as the server was asked for it, and
// `styles` those of what is said.
export function connect(root, path, styles) {
  apart = styles;
  window.__streamlit = { BACKEND_BASE_URL: new URL(root, location.origin).href };
  document.addEventListener("DOMContentLoaded", () => tellOfPath(root, path));
  watchWebSocket(root);
  watchUploads();
}
