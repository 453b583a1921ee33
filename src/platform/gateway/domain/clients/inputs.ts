import { z } from 'zod'
import type { Declared } from './declared.ts'

type JsonObject = Record<string, unknown>

/** Something that a client is to ask its user (MCP, elicitation). */
export type InputRequest = { method: 'elicitation/create'; params: JsonObject }

export type InputRequests = Record<string, InputRequest>

/**
 * What a vendor's server asks for in the middle of a call. `state` belongs to the server. `again`: the server did nothing,
 * and expects a new call.
 */
export type AskedInputs = { requests: JsonObject; state?: string; again?: boolean }

/** The call goes on at the server with what the user answered. */
export type ContinuedCall = { requestState?: string; inputResponses: JsonObject }

/** `user` keeps the logins of different people at a vendor's server apart. */
export type InputAsker = { takes: Pick<Declared, 'forms' | 'urls'>; user: string; ask: AskUser }

export type AskUser = (params: JsonObject) => Promise<JsonObject>

/** For a call that the client repeats. `held`: the call waits in a process. */
export type WaitingInput = { id: string; state?: string; again?: boolean; held?: HeldAt }

export type HeldAt = { call: string; turn: number }

/** Passes inputs to the process that runs the call. */
export type AwaitedInputs = {
  expect(key: string): Promise<void>
  /** False if nobody expects it, or if it was answered before. */
  answer(key: string, content: unknown): Promise<boolean>
  put(key: string, content: unknown): Promise<void>
  /** Undefined until there is one. */
  take(key: string): Promise<{ content: unknown } | undefined>
}

export const answerInSession = (session: string, id: unknown): string => `${session}|${JSON.stringify(id)}`

const maxRequests = 8
const maxBytes = 64 * 1024

const Page = z.looseObject({ mode: z.literal('url'), message: z.string(), url: z.url({ protocol: /^https?$/ }) })
const Form = z.looseObject({
  mode: z.literal('form').optional(),
  message: z.string(),
  requestedSchema: z.looseObject({ type: z.literal('object') }),
})
const Asked = z.looseObject({ method: z.literal('elicitation/create'), params: z.union([Page, Form]) })

/** The requests, or the reason why they are not passed on. */
export function passedOn(asked: JsonObject, takes: InputAsker['takes']): InputRequests | string {
  const all = Object.entries(asked)
  if (all.length > maxRequests || JSON.stringify(asked).length > maxBytes) return 'asks for too much at once'
  const passed: InputRequests = {}
  for (const [name, request] of all) {
    const { data } = Asked.safeParse(request)
    if (!data) return 'asks for something other than a form or a web page, which is not passed on'
    const missing = missingFor(data.params.mode === 'url', takes)
    if (missing) return missing
    passed[name] = { method: data.method, params: data.params }
  }
  return passed
}

function missingFor(isPage: boolean, { forms, urls }: InputAsker['takes']): string | undefined {
  if (isPage)
    return urls ? undefined : 'asks the user to open a page, which this client does not declare (elicitation.url)'
  return forms ? undefined : 'asks the user to fill in a form, which this client does not declare (elicitation.form)'
}

const Refused = z.object({ action: z.enum(['decline', 'cancel']) })

/** The user's answer to any of the requests. */
export const isDeclined = (responses: JsonObject): boolean =>
  Object.values(responses).some((response) => Refused.safeParse(response).success)
