// What the page's modules read of the browser's objects beyond what TypeScript knows of them, for `deno check`. A name that
// stands neither here nor in TypeScript's own library is a mistake.
interface ParentNode { querySelector(selectors: string): any; querySelectorAll(selectors: string): NodeListOf<any> }
interface Error { status?: number }
interface HTMLElement { goldvizRoot?: HTMLElement }
interface Window { Plotly: any; __streamlit: { BACKEND_BASE_URL: string } }
