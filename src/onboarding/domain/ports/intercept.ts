/** The same port, with each of `methods` run through `interceptor`. */
export function intercept<Port extends object, Method extends AsyncMethod<Port>>(
  port: Port,
  methods: readonly Method[],
  interceptor: Interceptor<Port, Method>,
): Port {
  type Args = Parameters<typeof interceptor>[0]['args']
  // Looked up at the time of the call: tests replace methods of a port that is already wrapped.
  const act = (method: Method, args: Args) => (port[method] as (...args: Args) => Promise<unknown>)(...args)
  const wrapped = methods.map((method) => [
    method,
    async (...args: Args) => interceptor({ method, args }, (...changed) => act(method, changed)),
  ])
  return { ...port, ...Object.fromEntries(wrapped) }
}

/** Only the first argument, which says what the call is about, has a type. */
type Interceptor<Port, Method extends AsyncMethod<Port>> = <Result>(
  call: { method: Method; args: [about: FirstArgument<Port[Method]>, ...rest: unknown[]] },
  next: (about: FirstArgument<Port[Method]>, ...rest: unknown[]) => Promise<Result>,
) => Promise<Result>

type FirstArgument<Call> = Call extends (about: infer About, ...rest: never[]) => unknown ? About : never

export type AsyncMethod<Port> = {
  [Method in keyof Port]: Port[Method] extends (...args: never[]) => Promise<unknown> ? Method : never
}[keyof Port]
