// What is chosen, in one place and in the address: #rank=3&call=MPI_Recv&t=FROM-TO (nanoseconds). Views listen and never talk to each other.

const data = JSON.parse(document.getElementById("data").textContent);
const ranks = data.ranks;
const rankCount = ranks.rank.length;
/** Of how many ranks these are; of very many, some stand for all. */
const allRanks = ranks.of || rankCount;
const severalWorlds = new Set(ranks.world).size > 1;

const rankIndex = new Map();
for (let i = 0; i < rankCount; ++i) rankIndex.set(ranks.world[i] + ":" + ranks.rank[i], i);

/** "3", or "1:3" for rank 3 of world 1 where there are several. */
const rankName = (index) => (severalWorlds ? ranks.world[index] + ":" : "") + ranks.rank[index];
/** "rank 3", for sentences. */
const rankText = (index) => "rank " + ranks.rank[index] + (severalWorlds ? " of world " + ranks.world[index] : "");
const hostOf = (index) => ranks.hosts[ranks.host[index]];

/** Index of the rank that a user's word names; undefined if there is none. */
function findRank(word) {
  const text = String(word).trim();
  return rankIndex.get(text.includes(":") ? text : (rankCount ? ranks.world[0] : 0) + ":" + text);
}

const calls = data.calls || [];
const callNames = new Set([...calls.map((row) => row.call), ...(data.sizes || []).map((row) => row.call)]);
for (const row of document.querySelectorAll("tr[data-call]")) callNames.add(row.dataset.call);
if (data.timeline) for (const call of Object.values(data.timeline.calls)) callNames.add(call.name);

const state = { rank: null, call: null, time: null };
const listeners = [];
const onChange = (listener) => listeners.push(listener);
/** Of those who follow the address in more than rank and call. */
const followers = [];
const onFollow = (follower) => followers.push(follower);

function readHash() {
  const words = new URLSearchParams(location.hash.slice(1));
  const rank = words.has("rank") ? findRank(words.get("rank")) : undefined;
  const call = words.get("call");
  return { rank: rank === undefined ? null : rank, call: callNames.has(call) ? call : null, time: readTime(words.get("t")), view: words.get("view") };
}

/** "1000-2000" */
function readTime(word) {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(word || "") || [];
  return data.timeline && Number(from) < Number(to) ? [Number(from), Number(to)] : null;
}

function writeHash(view, write = "pushState") {
  const words = [];
  if (state.rank !== null) words.push("rank=" + rankName(state.rank));
  if (state.call !== null) words.push("call=" + encodeURIComponent(state.call));
  if (state.time !== null) words.push("t=" + state.time.join("-"));
  if (view) words.push("view=" + view);
  const hash = words.length ? "#" + words.join("&") : "";
  if (hash !== location.hash) history[write](null, "", hash || location.pathname + location.search);
}

/** choose({rank: 3}), choose({call: null}): what is not named stays. */
function choose(change) {
  const next = { ...state, ...change };
  if (next.rank === state.rank && next.call === state.call) return;
  Object.assign(state, next);
  writeHash();
  for (const listener of listeners) listener(state);
}

/** What part of the timeline is in view; null: the whole run. Going back does not go through all of them. */
function chooseTime(time) {
  if (String(time) === String(state.time)) return;
  state.time = time;
  writeHash(null, "replaceState");
}

/** The same value again takes it back. */
const toggleRank = (index) => choose({ rank: state.rank === index ? null : index });
const toggleCall = (call) => choose({ call: state.call === call ? null : call });

function followHash() {
  const { rank, call, time, view } = readHash();
  Object.assign(state, { rank, call, time });
  for (const listener of [...listeners, ...followers]) listener(state);
  const section = view && document.getElementById(view);
  if (section && section.matches("section")) section.scrollIntoView();
}
