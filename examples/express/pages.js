const escapeHtml = (text) => String(text).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const page = (body) => `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Example</title>
<script type="module" src="/vendor/elements.js"></script>
<script type="module" src="/page.js"></script>
<main>${body}</main>`

export const homePage = ({ names, integration, connections, messages }) =>
  page(`
<h1>Your accounts</h1>
<causeway-connect action="/connect" mode="popup">Connect ${escapeHtml(names[integration] ?? integration)}</causeway-connect>
<ul>${connections.map((connection) => connectionItem(connection, names)).join('')}</ul>
<h2>Messages</h2>
<ul>${messages.map(({ type, timestamp }) => `<li>${escapeHtml(type)} at ${escapeHtml(timestamp)}`).join('')}</ul>`)

const connectionItem = ({ integrationId, status, upstreamAccount, functionUrl }, names) =>
  `<li>${escapeHtml(names[integrationId] ?? integrationId)}: ${escapeHtml(upstreamAccount?.label ?? 'an account')}, ${escapeHtml(status)},
   <code>${escapeHtml(functionUrl)}/mcp</code>`

export const returnPage = ({ status, cause, causeForUser }) =>
  page(`
<h1>${status === 'linked' ? 'Connected' : escapeHtml(causeForUser?.title ?? cause?.title ?? status)}</h1>
<causeway-connected status="${escapeHtml(status)}" cause-code="${escapeHtml(cause?.code ?? '')}">
  <p>${escapeHtml(causeForUser?.advice ?? '')} <a href="/">Back to your accounts</a></p>
</causeway-connected>`)
