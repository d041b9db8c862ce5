// Starts the explorer once, and passes on what Python says. Called anew at every change of `data`.

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const host = parentElement.querySelector(".explorer");
  const explorer = (host.goldvizExplorer ??= new Explorer(host));
  explorer.update(data, (name, value) => (name === "missing" ? setTriggerValue : setStateValue)(name, value));
  return () => {
    explorer.destroy();
    host.goldvizExplorer = undefined;
  };
}
