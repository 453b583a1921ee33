import { cardMimeType } from '../../../contract/gateway/elicitation.ts'
import { pageCardUri } from '../domain/clients/declared.ts'
import { McpFailure, type OpenMcp } from '../domain/mcp.ts'

const card = { uri: pageCardUri, mimeType: cardMimeType }

const invalidParams = -32_602

/** The card is read like any resource of the server. */
export function withCard(mcp: OpenMcp): OpenMcp {
  const { capabilities = [], instructions, ask } = mcp.beyondTools ?? {}
  const hasResources = capabilities.includes('resources')
  return {
    ...mcp,
    beyondTools: {
      capabilities: hasResources ? capabilities : [...capabilities, 'resources'],
      instructions,
      async ask(method, params, exchange) {
        if (method === 'resources/read' && params.uri === card.uri)
          return { contents: [{ ...card, text: pageCardHtml, _meta: { ui: { prefersBorder: true } } }] }
        if (ask && (hasResources || !method.startsWith('resources/'))) return ask(method, params, exchange)
        if (method === 'resources/list') return { resources: [] }
        if (method === 'resources/templates/list') return { resourceTemplates: [] }
        throw new McpFailure('Resource not found.', undefined, invalidParams)
      },
    },
  }
}

/** A card with a button (MCP Apps, 2026-01-26). It loads nothing, and gets its page with the result of the tool. */
const pageCardHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Open a page</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; padding: 16px; font: 14px/1.5 var(--font-sans, system-ui, sans-serif); color: var(--color-text-primary, CanvasText); }
  p { margin: 0 0 12px; overflow-wrap: anywhere; }
  button { font: inherit; padding: 8px 16px; border: 1px solid currentcolor; border-radius: 8px; background: none; color: inherit; cursor: pointer; }
  button:focus-visible { outline: 2px solid; outline-offset: 2px; }
  button.first { background: CanvasText; border-color: CanvasText; color: Canvas; }
  [hidden] { display: none; }
</style>
</head>
<body>
<p id="message" role="status"></p>
<button id="open" class="first" hidden>Continue</button>
<button id="again" hidden>Done, try again</button>
<script>
  const waiting = new Map()
  let last = 0
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      send({ id: last, method, params })
    })
  const part = (id) => document.getElementById(id)
  let page
  const show = ({ structuredContent }) => {
    const { message, url } = structuredContent ?? {}
    if (!/^https?:/.test(url)) return
    page = url
    part('message').textContent = message
    part('open').hidden = false
  }
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== '2.0') return
    const request = data.method === undefined && waiting.get(data.id)
    if (request) {
      waiting.delete(data.id)
      if (data.error) request.reject(data.error)
      else request.resolve(data.result)
    }
    if (data.method === 'ui/notifications/tool-result') show(data.params)
    if (data.method === 'ping' || data.method === 'ui/resource-teardown') send({ id: data.id, result: {} })
  })
  part('open').onclick = () =>
    ask('ui/open-link', { url: page })
      .then((result) => {
        if (result?.isError) throw new Error('not opened')
        part('again').hidden = false
      })
      .catch(() => {
        part('message').textContent = 'Open ' + page
      })
  part('again').onclick = () =>
    ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'Done. Please try again.' }] }).catch(() => {
      part('message').textContent = 'Ask to try again.'
    })
  const appInfo = { name: 'causeway', version: '1.0.0' }
  ask('ui/initialize', { appInfo, appCapabilities: {}, protocolVersion: '2026-01-26' }).then(() => {
    send({ method: 'ui/notifications/initialized', params: {} })
    const { body } = document
    new ResizeObserver(() => send({ method: 'ui/notifications/size-changed', params: { height: body.offsetHeight } })).observe(body)
  })
</script>
</body>
</html>
`
