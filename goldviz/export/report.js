// Draws a report's figures, in the colours of its reader's theme.
const dark = matchMedia("(prefers-color-scheme: dark)");

function drawFigure(id, figure) {
  const draw = () => {
    const of = dark.matches ? recoloured(INKS.light, INKS.dark) : (given) => given;
    return Plotly.react(document.getElementById(id), of(figure.data), of(figure.layout), CONFIG);
  };
  dark.addEventListener("change", draw);
  draw();
}
