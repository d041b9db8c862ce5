// How far a reader is in each story, in this browser. What is kept here and was not written by this page is told to the
// server first, which checks it; what the server then says is kept.

const PLACE = "goldviz-stories";

const kept = {
  read() {
    try {
      return localStorage.getItem(PLACE) ?? "";
    } catch {
      return "";
    }
  },
  write(text) {
    try {
      localStorage.setItem(PLACE, text);
    } catch {
      // A browser that keeps nothing: the address still carries the step.
    }
  },
};

// What to do about a text that is kept: tell the server of it, write the server's in its place, or neither.
export function orderFor(found, written, { kept, heard, longest }) {
  const news = found && found !== written && found !== heard && found !== kept && found.length <= longest;
  if (news) return "tell";
  return found === kept ? "rest" : "write";
}

let writtenHere;

export default function ({ data, setTriggerValue }) {
  const found = kept.read();
  const order = orderFor(found, writtenHere, data);
  if (order === "tell") return setTriggerValue("told", found);
  if (order === "write") kept.write(data.kept);
  writtenHere = data.kept;
  return undefined;
}
