// Copy buttons, the remembered language of examples, and the mark of the current section. Pages work without them.
const status = document.querySelector('#docs-status')
const key = 'docs-language'

for (const head of document.querySelectorAll('.code-head')) head.append(copyButton(head.parentElement))
showLanguage(remembered())
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.code-tabs input')) return
  const { top } = target.getBoundingClientRect()
  showLanguage(target.value)
  scrollBy(0, target.getBoundingClientRect().top - top) // blocks above may have changed their height
  try {
    localStorage.setItem(key, target.value)
  } catch {} // storage is off
})
markSections()

function copyButton(block) {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'copy', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    const shown = [...block.querySelectorAll('pre')].find((pre) => pre.checkVisibility())
    await navigator.clipboard.writeText(shown.textContent.trimEnd())
    button.textContent = 'Copied'
    status.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
      status.textContent = ''
    }, 2_000)
  })
  return button
}

function remembered() {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function showLanguage(language) {
  for (const input of document.querySelectorAll('.code-tabs input')) {
    if (input.value === language) input.checked = true
  }
}

/** The current section is the last one whose heading is above the middle of the window. */
function markSections() {
  const links = [...document.querySelectorAll('.on-this-page a')]
  const ids = [...new Set(links.map(({ hash }) => hash.slice(1)))]
  const headings = ids.map((id) => document.getElementById(id)).filter(Boolean)
  if (headings.length === 0) return
  const mark = () => {
    const current = headings.findLast((heading) => heading.getBoundingClientRect().top < innerHeight / 2)
    for (const link of links) {
      if (link.hash === `#${current?.id}`) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  let isPlanned = false
  addEventListener(
    'scroll',
    () => {
      if (isPlanned) return
      isPlanned = true
      requestAnimationFrame(() => {
        isPlanned = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}
