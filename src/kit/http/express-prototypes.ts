import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http'

export type RequestPrototypes = { request: object; response: object }

export const hasRequestPrototypes = <L extends RequestListener>(app: L): app is L & RequestPrototypes =>
  'request' in app && 'response' in app

/**
 * Express gives every request and answer another prototype after they were made, and objects whose prototype changes
 * are slow for the rest of their life. The server makes these with the one it wants, so that it changes nothing. The
 * classes are ours and the prototypes the app's own, as `app.request` and `createServer` offer: nothing of Node's or of
 * Express's is changed (docs/decisions/0022-requests-made-as-express-wants-them.md, with figures).
 */
export function expressServerOptions(app: RequestListener): ServerOptions {
  if (!hasRequestPrototypes(app)) return {}
  const { request, response } = withRequestClasses(app)
  return {
    IncomingMessage: request.constructor as NonNullable<ServerOptions['IncomingMessage']>,
    ServerResponse: response.constructor as NonNullable<ServerOptions['ServerResponse']>,
  }
}

/**
 * Lets the app's prototypes be those of classes that extend Node's: what such a class makes is as quick as Node's own,
 * while making an object of one class with the prototype of another costs more than all the rest of a small request.
 */
export function withRequestClasses<A extends RequestPrototypes>(app: A): A {
  if (Object.hasOwn(app.request, 'constructor')) return app
  app.request = childOf(IncomingMessage, app.request)
  app.response = childOf(ServerResponse, app.response)
  return app
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments are those of whatever class is given
type Class = new (...args: any[]) => object

function childOf(parent: Class, prototype: object): object {
  class Child extends parent {}
  return Object.setPrototypeOf(Child.prototype, prototype)
}
