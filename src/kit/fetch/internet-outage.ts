import { createSocket } from 'node:dgram'
import type { LookupAddress, lookup } from 'node:dns'

/** `no_names`: no name was resolved. `no_route`: names were resolved, and no route leads to their addresses. */
export type Outage = 'no_names' | 'no_route'

/** Names of IANA. If none of them resolves, an unknown name says nothing. */
const controlNames: readonly string[] = ['example.com', 'iana.org', 'a.root-servers.net']

type Network = { resolve: typeof lookup; isPublic(address: string): boolean }

/** Undefined if one of the names, or a control name, leads to an address with a route, or to a private one. */
export async function findOutage(
  names: readonly string[],
  { resolve, isPublic }: Network,
): Promise<Outage | undefined> {
  let outage: Outage = 'no_names'
  for (const group of [names, controlNames]) {
    const addresses = (await Promise.all(group.map((name) => addressesOf(name, resolve)))).flat()
    if (addresses.length > 0) outage = 'no_route'
    if (addresses.some(({ address }) => !isPublic(address))) return undefined
    if ((await Promise.all(addresses.map(hasRoute))).includes(true)) return undefined
  }
  return outage
}

const addressesOf = (name: string, resolve: Network['resolve']): Promise<LookupAddress[]> =>
  new Promise((done) => resolve(name, { all: true }, (error, found) => done(error ? [] : found)))

const noRoute = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Connecting a UDP socket sends nothing: the kernel only looks up the route. */
function hasRoute({ address, family }: LookupAddress): Promise<boolean> {
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  return new Promise<boolean>((done) => {
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => done(!noRoute.has(code)))
    socket.connect(443, address, () => done(true))
  }).finally(() => socket.close())
}
