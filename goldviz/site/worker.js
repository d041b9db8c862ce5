// Answers from what the browser has kept, and keeps what it is asked for. `self.site` stands above, by build.py.

const { name, core, files } = self.site;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((kept) => kept.addAll(core)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const others = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((one) => one.startsWith("goldviz-") && one !== name).map((one) => caches.delete(one)));
    await self.clients.claim();
  };
  event.waitUntil(others());
});

async function answer(request) {
  const kept = await caches.open(name);
  const address = new URL(request.url);
  if (address.pathname.endsWith("/")) address.pathname += "index.html";
  const found = await kept.match(address.href, { ignoreSearch: true });
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) await kept.put(address.href, response.clone());
  return response;
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === self.location.origin) {
    event.respondWith(answer(request));
  }
});

self.addEventListener("message", (event) => {
  const all = async () => {
    const kept = await caches.open(name);
    const say = (done, lost = false) => event.source.postMessage({ done, total: files.length, lost });
    let done = 0;
    try {
      for (const file of files) {
        if (!(await kept.match(file))) await kept.add(file);
        say((done += 1));
      }
    } catch {
      say(done, true);
    }
  };
  event.waitUntil(all());
});
