// Keeps one part of a page up to date: the content of the element with data-live is fetched again and exchanged until
// the answer no longer carries data-live; an answer without the element means that this page is over.
// Without JavaScript the page refreshes itself (see refreshSeconds in views/_head.ejs).
const intervalMs = 1000
const longestIntervalMs = 8000

const live = document.querySelector('[data-live]')
if (live?.id) follow(live, intervalMs)

function follow(element, waitMs) {
  setTimeout(async () => {
    const page = document.hidden ? undefined : await read(element.dataset.live)
    if (!page) return follow(element, Math.min(waitMs * 2, longestIntervalMs))
    const next = page.getElementById(element.id)
    if (!next) return location.reload()
    // The element itself stays, so that screen readers go on listening to it.
    update(element, next)
    document.title = page.title
    if (next.dataset.live) follow(element, intervalMs)
  }, waitMs)
}

/** Exchanges what differs and leaves the rest, or a screen reader would read all of it again with every change. */
function update(element, next) {
  if (element.isEqualNode(next)) return
  const [mine, theirs] = [[...element.children], [...next.children]]
  const pairs = mine.slice(0, theirs.length).map((child, at) => [child, theirs[at]])
  const isAlike = pairs.length > 0 && pairs.every(([child, other]) => child.tagName === other.tagName)
  if (!isAlike || ownText(element) !== ownText(next)) return element.replaceChildren(...next.childNodes)
  for (const [child, other] of pairs) updateChild(child, other)
  for (const child of mine.slice(pairs.length)) child.remove()
  element.append(...theirs.slice(pairs.length))
}

function updateChild(child, next) {
  for (const name of child.getAttributeNames()) if (!next.hasAttribute(name)) child.removeAttribute(name)
  for (const { name, value } of next.attributes) if (child.getAttribute(name) !== value) child.setAttribute(name, value)
  update(child, next)
}

const ownText = ({ childNodes }) =>
  [...childNodes]
    .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
    .map(({ data }) => data.trim())
    .join('')

/** Returns undefined if the page could not be read: the caller retries less often. */
async function read(address) {
  try {
    const answer = await fetch(address || location.href, { headers: { Accept: 'text/html' } })
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
  } catch {
    return undefined
  }
}
