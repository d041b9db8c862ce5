// What the page's modules read of the browser's objects beyond what TypeScript knows of them, for `deno check`.
interface EventTarget { [name: string]: any }
interface Element { [name: string]: any }
interface ParentNode { querySelector(selectors: string): any; querySelectorAll(selectors: string): NodeListOf<any> }
interface Event { [name: string]: any }
interface CSSStyleDeclaration { [name: string]: any }
interface StyleSheet { [name: string]: any }
interface Window { [name: string]: any }
interface Error { status?: number }
