// The pages that people see at the platform, rendered without stores and servers. Paths: /<name>.
import type { AddressInfo } from 'node:net'
import { exactApp } from '../../../src/kit/http/exact-routing.ts'
import { servePages } from '../../../src/kit/http/pages.ts'
import { securityHeaders } from '../../../src/kit/http/security-headers.ts'
import { keyPageLocals } from '../../../src/platform/identity/http/locals/key-page.ts'
import type { Caller } from '../../../src/platform/shared/domain/caller.ts'
import { utcTime } from '../../../src/platform/shared/http/utc-time.ts'

const at = new Date('2026-11-19T02:00:00Z')
const uid = 'interaction'
const app = 'Claude'
const label = 'some.body.with.a.long.name@northwind-traders.example'
const address = 'https://functions.platform.example/northwind-traders/functions/filebox-k2j4h6g8/mcp'

const call = {
  app: 'Filebox',
  tool: 'delete_file',
  covers: 'delete_file',
  connection: 'filebox-k2j4h6g8',
  caller: label,
  path: '/oauth/approval/1',
}
const ask = {
  kind: 'ask',
  label,
  ...call,
  description: 'Deletes a file for good.',
  arguments: [
    { name: 'id', value: 'file-1' },
    { name: 'comment', value: `${'A text of several lines. '.repeat(8)}\nIts end.` },
  ],
  isKey: false,
  startedAt: undefined,
}
const decided = (state: string) => ({ kind: 'decided', ...call, state, decidedBy: label, until: utcTime(at) })

const key = {
  id: 'key-1',
  name: 'laptop',
  last4: 'a1b2',
  scopes: [],
  createdAt: at,
  createdBy: label,
}
const keys = keyPageLocals({
  caller: { label } as Caller,
  list: {
    workspace: undefined,
    workspaces: ['northwind-traders', 'research'],
    serviceAccounts: [],
    keys: [{ ...key, lastUsedAt: null, expiresAt: at }],
  },
  form: { id: 'form-1', name: '', clientId: '', expiresIn: '90d', role: 'member' },
  now: at,
  made: { name: 'laptop', key: `cwp_${'x'.repeat(43)}` },
})

const repair = { label, app: 'Filebox', repairUrl: 'https://connect.example/repair/1', path: '/oauth' }
const consent = { uid, app, title: 'Filebox', account: label, redirectTo: 'claude.ai', permissions: ['Use its tools'] }

/** Template and locals by name. */
export const platformPages: Record<string, [template: string, locals: object]> = {
  'sign-in': ['oauth/sign-in', { uid, app, email: label, wrong: true }],
  'function-sign-in': ['oauth/function-sign-in', { uid, app, email: '', wrong: false }],
  consent: ['oauth/consent', { uid, app, permissions: ['See your email address', 'Functions: create, read'] }],
  'function-consent': ['oauth/function-consent', { ...consent, publisher: '', isVouched: false }],
  'function-login': ['oauth/function-login', { title: 'Filebox', label, token: 'token' }],
  'function-ready': ['oauth/function-ready', { label, address, isRemembered: true }],
  continue: ['oauth/continue', { app, address }],
  'device-code': ['oauth/device-code', { xsrf: '1', problem: { title: 'Unknown code', text: 'Check it.' } }],
  'device-confirm': ['oauth/device-confirm', { xsrf: '1', code: 'ABCD-EFGH', app }],
  'device-ready': ['oauth/device-ready', {}],
  'device-refused': ['oauth/device-refused', {}],
  'signed-out': ['oauth/signed-out', { isMember: true }],
  'error-of-app': ['oauth/error', { error: 'invalid_request', description: '' }],
  'error-of-link': ['oauth/error', { title: 'This sign-in link doesn’t work', description: 'It has expired.' }],
  'error-of-form': [
    'error',
    { title: 'Invalid request', detail: 'This form was sent from another site.', requestId: 'req_1' },
  ],
  'repair-unknown': ['oauth/repair', { ...repair, kind: 'unknown' }],
  'repair-other': ['oauth/repair', { ...repair, kind: 'other' }],
  'repair-nobody': ['oauth/repair', { ...repair, kind: 'nobody' }],
  'repair-done': ['oauth/repair', { ...repair, kind: 'done' }],
  'approval-ask': ['oauth/approval', { shown: ask }],
  'approval-ask-again': ['oauth/approval', { shown: { ...ask, arguments: [], isKey: true, startedAt: utcTime(at) } }],
  'approval-once': ['oauth/approval', { shown: decided('allowed_once') }],
  'approval-hour': ['oauth/approval', { shown: decided('allowed_for_an_hour') }],
  'approval-declined': ['oauth/approval', { shown: decided('declined') }],
  'approval-expired': ['oauth/approval', { shown: decided('expired') }],
  'approval-other': ['oauth/approval', { shown: { kind: 'other', label, isForOthers: true } }],
  'approval-nobody': ['oauth/approval', { shown: { kind: 'nobody', path: '/oauth/approval/1' } }],
  'approval-unknown': ['oauth/approval', { shown: { kind: 'unknown' } }],
  keys: ['keys', keys],
}

export async function startPlatformGallery() {
  const server = exactApp([])
  server.use(securityHeaders({ https: false }))
  servePages(server)
  server.get('/:name', (req, res, next) => {
    const page = platformPages[req.params.name]
    if (!page) return next()
    res.render(`platform/${page[0]}`, page[1])
  })
  const listening = server.listen(0, '127.0.0.1')
  await new Promise((resolve) => listening.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    close: () => new Promise((closed) => listening.close(closed)),
  }
}
