// Runs in every page: a button gives the link of what is in view, which is the page's address.

async function copied(page, navigator, text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https a browser keeps its clipboard from scripts, and copies what is selected all the same.
    const box = page.createElement("textarea");
    box.value = text;
    page.body.append(box);
    box.select();
    const done = page.execCommand("copy");
    box.remove();
    return done;
  }
}

export function shareLinks({ document: page, navigator, location, matchMedia }, wait = setTimeout) {
  page.addEventListener("click", async ({ target }) => {
    const button = target.closest?.(".goldviz-share");
    if (!button) return;
    const url = location.href;
    // Who closes a phone's sheet shares nothing, which is no fault.
    if (navigator.share && matchMedia("(hover: none)").matches)
      return navigator.share({ title: page.title, url }).catch(() => undefined);
    button.dataset.told = "";
    const words = button.lastElementChild;
    words.textContent = (await copied(page, navigator, url)) ? "Link copied" : "Copy the address of this page";
    wait(() => {
      words.textContent = "Share";
      delete button.dataset.told;
    }, 2500);
  });
}
