import { createHash, randomBytes } from 'node:crypto'
import express, { type Request, type Response, type Router } from 'express'
import { z } from 'zod'
import { ApiKeyInput, ServiceAccountInput } from '../../../contract/control-plane/service-account.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import type { IdempotencyStore } from '../../../kit/process/run-idempotent.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { fromOurPages, pageErrors, type Sessions, signedIn } from '../../shared/http/own-pages.ts'
import { toFailure } from '../../shared/http/to-failure.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { createApiKey, revokeApiKey } from '../flows/manage-api-keys.ts'
import { addServiceAccount, findKeyOwner, showApiKeys } from '../flows/show-api-keys.ts'
import { type KeyForm, type KeyPage, keyPageLocals, keysPath } from './locals/key-page.ts'

type Ports = IdentityPorts & { idempotency: Pick<IdempotencyStore<string>, 'claim'> }

const Form = z.object({
  id: z.string().max(100).default(''),
  name: z.string().default(''),
  clientId: z.string().default(''),
  expiresIn: z.string().default(''),
  role: z.string().default(''),
})

const workspaceIn = ({ params }: Request) => (params.workspace === undefined ? undefined : String(params.workspace))

export function keyPages(ports: Ports, sessions: Sessions, publicUrl: string): Router {
  const body = express.urlencoded({ extended: false, limit: '8kb' })
  const guards = [fromOurPages(publicUrl), body]
  const pageOf = (req: Request) => keysPath(workspaceIn(req))
  const show = signedIn(sessions, (caller, req, res) => showPage(ports, caller, req, res, {}))
  const create = signedIn(sessions, (caller, req, res) => createKey(ports, caller, req, res), pageOf)
  const revoke = signedIn(sessions, (caller, req, res) => revokeKey(ports, caller, req, res), pageOf)
  const router = exactRouter()
  for (const path of ['/keys', '/keys/workspaces/:workspace']) {
    router.get(path, show).post(path, guards, create).post(`${path}/:keyId/revoke`, guards, revoke)
  }
  const add = signedIn(sessions, (caller, req, res) => createAccount(ports, caller, req, res), pageOf)
  router.post('/keys/workspaces/:workspace/service-accounts', guards, add)
  return router.use('/keys', pageErrors(ports.log))
}

const newForm = (): KeyForm => ({
  id: randomBytes(16).toString('base64url'),
  name: '',
  clientId: '',
  expiresIn: '90d',
  role: 'member',
})

type Shown = Partial<Pick<KeyPage, 'form' | 'complaint' | 'notice' | 'made' | 'account'>>

async function showPage(ports: Ports, caller: Caller, req: Request, res: Response, shown: Shown): Promise<void> {
  const list = await showApiKeys(ports, caller, workspaceIn(req))
  const notice = 'revoked' in req.query ? 'The key was revoked. It stops working within five seconds.' : ''
  const page = { caller, list, now: ports.now(), form: newForm(), notice, ...shown }
  res.render('platform/keys', keyPageLocals(page))
}

async function createKey(ports: Ports, caller: Caller, req: Request, res: Response): Promise<void> {
  const form = Form.parse(req.body ?? {})
  const { name, expiresIn } = form
  const input = ApiKeyInput.safeParse({ name: name.trim(), ...(expiresIn && { expiresIn }) })
  if (!input.success) {
    res.status(400)
    return showPage(ports, caller, req, res, { form, complaint: wordsFor('key', toFailure(input.error).detail) })
  }
  const owner = await findKeyOwner(ports, caller, { workspace: workspaceIn(req), clientId: form.clientId })
  if (await wasSent(ports, caller, `key-form ${form.id}`)) {
    res.status(409)
    return showPage(ports, caller, req, res, { complaint: wordsFor('key', sentBefore) })
  }
  const { key } = await createApiKey(ports, { ...input.data, owner, by: actorOf(caller), minter: caller })
  await showPage(ports, caller, req, res, { made: { name: input.data.name, key: key.reveal() } })
}

async function createAccount(ports: Ports, caller: Caller, req: Request, res: Response): Promise<void> {
  const form = Form.parse(req.body ?? {})
  const refuse = (status: number, detail: string) => {
    res.status(status)
    return showPage(ports, caller, req, res, { complaint: wordsFor('service account', detail) })
  }
  const input = ServiceAccountInput.safeParse({ name: form.name.trim(), role: form.role })
  if (!input.success) return refuse(400, toFailure(input.error).detail)
  if (await wasSent(ports, caller, `account-form ${form.id}`)) return refuse(409, sentBefore)
  try {
    const { account, secret } = await addServiceAccount(ports, caller, String(req.params.workspace), input.data)
    const { name, clientId } = account
    await showPage(ports, caller, req, res, { account: { name, clientId, secret: secret.reveal() } })
  } catch (error) {
    if (error instanceof Failure && error.code === 'name_taken') return refuse(409, error.detail)
    throw error
  }
}

/** A reload or a double click sends a form again, and the key of the first one would never be seen. */
async function wasSent({ idempotency }: Ports, { id }: Caller, form: string): Promise<boolean> {
  const digest = createHash('sha256')
    .update(JSON.stringify([id, form]))
    .digest('hex')
  return (await idempotency.claim(digest, digest)).status !== 'granted'
}

async function revokeKey(ports: Ports, caller: Caller, req: Request, res: Response): Promise<void> {
  const { clientId } = Form.parse(req.body ?? {})
  const workspace = workspaceIn(req)
  const owner = await findKeyOwner(ports, caller, { workspace, clientId })
  await revokeApiKey(ports, owner, String(req.params.keyId), actorOf(caller))
  res.redirect(303, `${keysPath(workspace)}?revoked`)
}

const sentBefore = 'This form was already sent. Nothing else was created.'

const words: Record<string, string> = { name: 'Name', expiresIn: 'Expires', role: 'Role' }

const wordsFor = (what: 'key' | 'service account', detail: string) => ({
  what,
  detail: detail.replace(/(^|; )(\w+): /g, (all, before: string, name: string) =>
    words[name] ? `${before}${words[name]}: ` : all,
  ),
})
