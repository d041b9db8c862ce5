// What an instant page's figures show at all its positions comes with the page, and goes to whoever watches them.

import { positionsPage } from "./frames_page.js";

export default function ({ data }) {
  positionsPage(data.page).take(data);
}
