import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http'

type Prototypes = { request?: object; response?: object }

/**
 * Express gives every request and answer another prototype after they were made, and objects whose prototype changes
 * are slow for the rest of their life. These are born with the one it wants, so that it changes nothing.
 */
export function bornExpress(app: RequestListener): ServerOptions {
  const { request, response } = app as Prototypes
  if (!request || !response) return {}
  return {
    IncomingMessage: childOf(IncomingMessage, request),
    ServerResponse: childOf(ServerResponse, response) as NonNullable<ServerOptions['ServerResponse']>,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments are those of whatever class is given
type Class = new (...args: any[]) => object

function childOf<C extends Class>(parent: C, prototype: object): C {
  function Child(...args: unknown[]) {
    return Reflect.construct(parent, args, Child)
  }
  Child.prototype = prototype
  return Child as unknown as C
}
