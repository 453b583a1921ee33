import type { Request, Response } from 'express'
import type { Credentials } from '../domain/client-check.ts'
import { type Instance, remember } from '../domain/instance.ts'
import type { Switches } from '../domain/switch-table.ts'

export type Parameters = Record<string, string | undefined>

export const instanceOf = (res: Response): Instance => res.locals.instance
export const hostOf = (res: Response): string | undefined => res.locals.host

export const baseOf = (res: Response): string => {
  const host = hostOf(res)
  return host === undefined ? instanceOf(res).url : `${instanceOf(res).url}/at/${host}`
}

export const bodyOf = (req: Request): Parameters => textsIn(req.body)
export const queryOf = (req: Request): Parameters => textsIn(req.query)

const textsIn = (values: unknown): Parameters =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => typeof value === 'string')) as Parameters

/** RFC 6749 §2.3.1: both parts of Basic are form-encoded before they are joined. */
export function credentialsOf(req: Request, parameters: Parameters, switches: Switches): Credentials {
  const [, basic] = /^Basic (.+)$/i.exec(req.get('authorization') ?? '') ?? []
  if (basic !== undefined) {
    const [id, secret] = Buffer.from(basic, 'base64').toString().split(':').map(decodedPart)
    return { id, secret, by: 'basic' }
  }
  const secret = parameters[switches.client_secret_parameter]
  return { id: parameters[switches.client_id_parameter], secret, by: secret === undefined ? 'none' : 'post' }
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}

export const bearerOf = (req: Request): string | undefined => /^Bearer (.+)$/i.exec(req.get('authorization') ?? '')?.[1]

const plainParameters = new Set(
  'grant_type response_type redirect_uri scope user_scope access_type prompt login_hint code_challenge_method resource'.split(
    ' ',
  ),
)

/** Keeps the request for `GET /control`. Most parameters may be secret, so only the values of a few are kept. */
export function record(instance: Instance, endpoint: string, req: Request, parameters: Parameters): void {
  const { client_id_parameter: clientId } = instance.switches
  const shown = ([name, value = '']: [string, string | undefined]) =>
    [name, plainParameters.has(name) || name === clientId ? value : '[present]'] as const
  remember(instance.requests, {
    endpoint,
    method: req.method,
    contentType: req.get('content-type'),
    authorization: req.get('authorization')?.split(' ')[0],
    parameters: Object.fromEntries(Object.entries(parameters).map(shown)),
  })
}
