// What the theme asks for by itself, as this site wants it answered; and where it would ask in vain.
{
  const { open, send } = XMLHttpRequest.prototype;
  const waiting = new Set();
  let searching = new URLSearchParams(location.search).has("q");

  // The theme navigates instantly to the pages of the sitemap, whose addresses hold only where the
  // site is published. The pages are those of the navigation, wherever it is served.
  const pages = () =>
    new Set([...document.querySelectorAll(".md-nav--primary a[href]")].map(({ origin, pathname }) => origin + pathname));
  const sitemap = () => {
    const loc = (page) => `<url><loc>${page.replaceAll("&", "&amp;")}</loc></url>`;
    return new Blob([`<urlset>${[...pages()].map(loc).join("")}</urlset>`], { type: "text/xml" });
  };

  // It asks for the index of the whole site on every page. That waits until someone searches.
  const want = ({ target }) => {
    if (!target.closest?.("[data-md-component='search'], [for='__search'], #__search")) return;
    searching = true;
    for (const request of waiting) send.call(request);
    waiting.clear();
  };
  for (const kind of ["focusin", "pointerdown", "change"]) document.addEventListener(kind, want);

  // It makes every address absolute when a page opens, stylesheets' too, which are then loaded again.
  // That is needed once the address of the page changes: it waits for the first step to another page.
  const resolve = () => {
    delete document.querySelectorAll;
    for (const element of document.querySelectorAll("[href], [src]")) {
      const name = element.hasAttribute("href") ? "href" : "src";
      element[name] = element[name];
    }
  };
  document.querySelectorAll = function (selector) {
    return selector === "[href], [src]" ? [] : Document.prototype.querySelectorAll.call(this, selector);
  };

  // Before its first instant navigation the theme takes a step within the page for one to another,
  // and would load the page again: such steps are the browser's.
  let within = true;
  const step = ({ target }) => {
    const link = target.closest?.("a[href]");
    if (!link) return;
    if (link.host + link.pathname !== location.host + location.pathname) {
      if (within) resolve();
      within = false;
    } else if (link.hash) {
      link.search = location.search; // where it was made absolute, that was with what was chosen then
      if (within) link.target = "_self";
    }
  };
  addEventListener("click", step, true);
  addEventListener("popstate", (event) => within && event.stopImmediatePropagation());

  XMLHttpRequest.prototype.open = function (method, address, ...others) {
    const { pathname } = new URL(address, location.href);
    if (pathname.endsWith("/sitemap.xml")) Object.defineProperty(this, "response", { get: sitemap });
    if (pathname.endsWith("/search/search_index.json") && !searching) waiting.add(this);
    return open.call(this, method, address, ...others);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (!waiting.has(this)) send.call(this, body);
  };
}
