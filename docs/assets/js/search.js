// The theme asks for the index of the whole site on every page. It waits until someone searches.
{
  const { open, send } = XMLHttpRequest.prototype;
  const index = new WeakSet();
  const waiting = [];
  let wanted = new URLSearchParams(location.search).has("q");

  XMLHttpRequest.prototype.open = function (method, address, ...others) {
    if (String(address).endsWith("/search/search_index.json")) index.add(this);
    return open.call(this, method, address, ...others);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (wanted || !index.has(this)) send.call(this, body);
    else waiting.push(this);
  };
  const want = ({ target }) => {
    if (!target.closest?.("[data-md-component='search'], [for='__search'], #__search")) return;
    wanted = true;
    for (const request of waiting.splice(0)) send.call(request);
  };
  for (const kind of ["focusin", "pointerdown", "change"]) document.addEventListener(kind, want);
}
