// A small picture of our own, as SVG in the page: it takes the page's ink, and its style sheet moves it.

export default function ({ parentElement, data }) {
  const host = parentElement.querySelector(".goldviz-door-picture");
  if (host.goldvizPicture === data.svg) return;
  host.goldvizPicture = data.svg;
  host.innerHTML = data.svg;
}
