// Calls of the clients for Node.js and Python for the reference. A test runs each one.
import { z } from 'zod'
import type { ApiRoute } from '../route.ts'

/** By path parameter. */
const ids: Record<string, string> = {
  tenantId: 'acme',
  colorScheme: 'light',
  integrationId: 'gmail',
  connectSessionId: 'ses_06gxytkrc2v8t1n5m0q7d9hj4w',
  manageSessionId: 'msn_06gxytm0a1b2c3d4e5f6g7h8j9',
  linkId: 'lnk_06gxytktsx4pfczwby539m3g5r',
  connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
  taskId: 'tsk_06gxytm1k2m3n4p5q6r7s8t9v0',
  grantId: 'grant_8f2c',
  importId: 'imp_06gxytm2w3x4y5z6a7b8c9d0e1',
  campaignId: 'cmp_06gxytm3f4g5h6j7k8m9n0p1q2',
  webhookId: 'whk_06gxytm4r5s6t7v8w9x0y1z2a3',
  deliveryId: 'dlv_06gxytm5b6c7d8e9f0g1h2j3k4',
  erasureId: 'era_06gxytm6m5n6p7q8r9s0t1v2w3',
}

export const examplePath = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name)

/** `example` is the example request. */
export function clientSample(route: ApiRoute, example: unknown): string {
  const { operationId, client } = route
  if (operationId === 'createConnectSession') return beginning(example)
  if (operationId === 'createRelinkSession') return beginningAgain(example)
  if (operationId === 'completeConnectSession') return finishing
  const call = `causeway.${client}(${valuesOf(route, example)
    .map((value) => literal(value))
    .join(', ')})`
  return isList(route) ? `for await (const item of ${call}) console.log(item)` : `console.log(await ${call})`
}

/** `example` is the example request. */
export function pythonSample(route: ApiRoute, example: unknown): string {
  const { operationId, client } = route
  if (operationId === 'createConnectSession') return beginningInPython(example)
  if (operationId === 'createRelinkSession') return beginningAgainInPython(example)
  if (operationId === 'completeConnectSession') return finishingInPython
  const name = client.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const call = `causeway.${name}(${valuesOf(route, example)
    .map((value) => pythonLiteral(value))
    .join(', ')})`
  if (isList(route)) return `for item in ${call}:\n    print(item)`
  return Object.values(route.answers).some((schema) => schema !== undefined) ? `print(${call})` : call
}

function valuesOf({ path }: ApiRoute, example: unknown): unknown[] {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ids[name] ?? name)
  return example === undefined ? params : [...params, example]
}

const isList = ({ answers }: ApiRoute): boolean => answers[200] instanceof z.ZodObject && 'data' in answers[200].shape

/** The client creates the challenge. */
function withoutChallenge(example: unknown): Record<string, unknown> {
  const { completionChallenge: _made, ...request } = example as Record<string, unknown>
  return request
}

const relinkRequest = { reason: 'the user reconnects', returnUrl: 'https://app.acme.example/integrations/return' }

function beginning(example: unknown): string {
  const request = withoutChallenge(example)
  return `const { url, state } = await causeway.connect.begin(${literal(request)})
// Keep \`state\` in the session of this user, and redirect their browser to \`url\`.`
}

/** For a user who is present, and for one who gets an email. */
function beginningAgain(example: unknown): string {
  return `// The user is here now. Keep \`state\` in their session, and redirect their browser to \`url\`.
const { url, state } = await causeway.connect.beginRelink('${ids.connectionId}', ${literal(relinkRequest)})

// Or a URL to send by email: nothing is left to finish when its user comes back.
const sent = await causeway.connections.createRelinkSession('${ids.connectionId}', ${literal(example)})`
}

const finishing = `// The query of your return URL, and the \`state\` that you kept in the session of this user.
const link = await causeway.connect.finish(query, state)`

const beginningInPython = (example: unknown): string =>
  `started = causeway.connect.begin(${pythonLiteral(withoutChallenge(example))})
# Keep \`started.state\` in the session of this user, and redirect their browser to \`started.url\`.`

const beginningAgainInPython = (example: unknown): string =>
  `# The user is here now. Keep \`started.state\` in their session, and redirect their browser to \`started.url\`.
started = causeway.connect.begin_relink("${ids.connectionId}", ${pythonLiteral(relinkRequest)})

# Or a URL to send by email: nothing is left to finish when its user comes back.
sent = causeway.connections.create_relink_session("${ids.connectionId}", ${pythonLiteral(example)})`

const finishingInPython = `# The query of your return URL, and the \`state\` that you kept in the session of this user.
link = causeway.connect.finish(query, state)`

function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, '\\$&')}'`
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value ?? '{}')
  const members = Object.entries(value).map(([name, member]) => `${inner}${name}: ${literal(member, inner)},\n`)
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}

function pythonLiteral(value: unknown, indent = ''): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  if (Array.isArray(value)) return `[${value.map((item) => pythonLiteral(item, indent)).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(member, inner)},\n`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}
