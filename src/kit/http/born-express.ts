import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http'

type Prototypes = { request?: object; response?: object }

/**
 * Express gives every request and answer another prototype after they were made, and an object whose prototype is
 * changed is slow for the rest of its life: this alone was two thirds of what a small request cost. These are made
 * with the prototype it wants, so that it changes nothing.
 */
export function bornExpress(app: RequestListener): ServerOptions {
  const prototypes = app as Prototypes
  if (!prototypes.request || !prototypes.response) return {}
  class Request extends IncomingMessage {}
  class Answer extends ServerResponse {}
  prototypes.request = Object.setPrototypeOf(Request.prototype, prototypes.request) as object
  prototypes.response = Object.setPrototypeOf(Answer.prototype, prototypes.response) as object
  return { IncomingMessage: Request, ServerResponse: Answer as NonNullable<ServerOptions['ServerResponse']> }
}
