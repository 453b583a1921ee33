import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { BrandedHeaders } from '../../../../contract/headers.ts'
import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import type { AccountDoor, AccountUser, OpenAccounts } from '../../../shared/domain/account-door.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { overLimit } from '../../../shared/domain/limit.ts'
import type { Headers } from '../../domain/workload.ts'
import {
  accountsOf,
  callerOf,
  functionAt,
  type OpenRelay,
  openAccounts,
  refusalOf,
} from '../../flows/relay/open-accounts.ts'
import type { GatewayAnswers } from '../gateway-errors.ts'
import { proxyHeaders } from '../proxy-headers.ts'
import { type ExchangePorts, relayExchange } from './relayed-exchange.ts'

type Served = { ports: ExchangePorts; openRelay: OpenRelay; headers: BrandedHeaders; answers: GatewayAnswers }

type Received = { req: IncomingMessage; res: ServerResponse; host: string }

const maxPerMinute = 1_200

type ProxyNeeds = {
  refusalOf(host: string): Promise<string | undefined>
  serve(received: Received): Promise<void>
  lifeSeconds: number
  silentForMs: number
  now: () => Date
}

type Parts = Served & {
  openProxy(needs: ProxyNeeds): Promise<Omit<AccountDoor, 'placeholders'>>
  gateway: { silentMs: number }
}

export function commandAccounts({ openProxy, gateway, ...served }: Parts): OpenAccounts {
  const { ports, openRelay } = served
  const serveFor = serveAccounts(served)
  return openAccounts(openRelay, (user) => {
    const recent = ttlCache(() => accountsOf(openRelay, user), { ttlMs: 1_000, capacity: 1 })
    return openProxy({
      // Each request is checked again.
      refusalOf: async (host) => tooFast(ports, user, 'connections') ?? refusalOf(await recent.get(''), user, host),
      serve: serveFor(user),
      lifeSeconds: user.lifeSeconds,
      silentForMs: gateway.silentMs,
      now: ports.now,
    })
  })
}

/** Requests of commands, which end in the relay. */
function serveAccounts({ ports, openRelay, headers, answers }: Served) {
  const passing = proxyHeaders(headers)
  return (user: AccountUser) =>
    async ({ req, res, host }: Received): Promise<void> => {
      const requestId = randomUUID()
      try {
        const refusal = tooFast(ports, user, 'requests')
        if (refusal !== undefined) throw new Failure('too_many_requests', refusal)
        const opened = functionAt(await accountsOf(openRelay, user), user, host)
        await relayExchange(ports, passing, {
          ...{ req, res, requestId, always: {}, workspace: user.workspace, caller: callerOf(user), opened },
          address: { host, rest: req.url ?? '/' },
          headers: wholeOnly(passing.forwarded(req.headers)),
          relay: 'https:/',
        })
      } catch (error) {
        answers.send(error, requestId, res, {})
      }
    }
}

function tooFast({ takeCall }: ExchangePorts, { kind, id }: AccountUser, what: string): string | undefined {
  const seconds = takeCall(`${kind}:${id}|${what}`, maxPerMinute)
  return seconds ? overLimit(seconds, { count: maxPerMinute, perSeconds: 60 }, `${what} of a ${kind}`) : undefined
}

const partial = ['range', 'if-range', 'accept-charset']

/** A secret in pieces, or in another character set, would not be recognized. */
const wholeOnly = (headers: Headers): IncomingHttpHeaders & Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !partial.includes(name)))
