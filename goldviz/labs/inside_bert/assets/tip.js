// Words beside the pointer, inside the explorer.
export class Tip {
  constructor(element, host) {
    this.element = element;
    this.host = host;
  }

  // The first `loud` lines are what was asked for; the others say more.
  show(lines, clientX, clientY, loud = 3) {
    const rows = lines.map((line, i) => {
      const row = document.createElement("div");
      row.textContent = line;
      if (i >= loud) row.className = "quiet";
      return row;
    });
    this.element.replaceChildren(...rows);
    this.element.hidden = false;
    const box = this.host.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const [x, y] = [clientX - box.left, clientY - box.top];
    const left = x + 16 + width > box.width ? Math.max(0, x - 16 - width) : x + 16;
    const below = clientY + 16 + height > window.innerHeight || y + 16 + height > box.height;
    const top = below ? Math.max(0, y - 16 - height) : y + 16;
    this.element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  hide() {
    this.element.hidden = true;
  }
}
