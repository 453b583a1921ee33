// A vendor's tools, prompts, resources and logs on the SDK's low-level server.
import type { IncomingHttpHeaders } from 'node:http'
import {
  inputRequired,
  ProtocolError,
  Server,
  type ServerContext,
  UrlElicitationRequiredError,
  type WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

export type VendorFault =
  | number
  | 'insufficient_scope'
  | 'never_lists'
  | 'redirect'
  | 'compressed'
  | 'cut'
  | 'ends_early'
  | 'nonsense'
  | 'huge_json'
  | 'huge_event'
  | 'mistakes'
  | 'unknown_lines'

type Tool = {
  name: string
  description: string
  inputSchema: { type: 'object' }
  annotations?: { readOnlyHint: boolean }
}

export type VendorState = ReturnType<typeof vendorState>

export const vendorState = () => ({
  accessToken: 'none',
  refreshToken: 'vendor-refresh-1',
  tokenRequests: [] as Record<string, string>[],
  requests: [] as { method: string; authorization: string | undefined; headers: IncomingHttpHeaders; body: string }[],
  sessions: new Map<string, WebStandardStreamableHTTPServerTransport>(),
  sessionsOpened: 0,
  fault: undefined as VendorFault | undefined,
  forgotClient: false,
  cancelled: 0,
  /** Calls that ask the user something. */
  asked: [] as string[],
  /** Running calls of the tool `wait`. */
  waiting: 0,
  /** Tells the client of the latest call that a page has served its purpose. */
  completePage: async (_elicitationId: string): Promise<void> => {},
  /** Ends the calls of the tool `wait`. */
  release: () => {},
  instructions: 'Be kind to the vendor.',
  tools: ['echo', 'wait', 'picture', 'chatty', 'leak', 'refuse'].map(tool),
})

export const tool = (name: string): Tool => ({
  name,
  description: `The vendor's ${name}.`,
  inputSchema: { type: 'object' },
  ...(name === 'echo' && { annotations: { readOnlyHint: true } }),
})

export function vendorServer(state: VendorState): Server {
  const server = new Server(
    { name: 'vendor', version: '3.2.1' },
    {
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      instructions: state.instructions,
    },
  )
  // Two pages, so that clients have to paginate.
  server.setRequestHandler('tools/list', ({ params }) =>
    params?.cursor === 'rest'
      ? { tools: state.tools.slice(2) }
      : { tools: state.tools.slice(0, 2), ...(state.tools.length > 2 && { nextCursor: 'rest' }) },
  )
  server.setRequestHandler('tools/call', ({ params }, context) => {
    state.completePage = (elicitationId) =>
      server.notification({ method: 'notifications/elicitation/complete', params: { elicitationId } })
    if (!state.tools.some(({ name }) => name === params.name)) throw new ProtocolError(-32_602, 'Unknown tool')
    return (calls[params.name] ?? echo)(state, params.arguments ?? {}, context) as Promise<{ content: [] }>
  })
  server.setRequestHandler('prompts/list', ({ params }) =>
    params?.cursor ? { prompts: [{ name: 'second' }] } : { prompts: [{ name: 'first' }], nextCursor: 'two' },
  )
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (params.name === 'asking')
      return inputRequired({ inputRequests: { name: inputRequired.elicit(nameForm) } }) as never
    if (params.name === 'page_first')
      throw new UrlElicitationRequiredError([
        { mode: 'url', message: 'Sign.', url: 'https://vendor.example/sign', elicitationId: 'sign-1' },
      ])
    if (params.name !== 'first') throw new ProtocolError(-32_602, 'Unknown prompt')
    return { messages: [{ role: 'user', content: { type: 'text', text: `Prompt for ${params.arguments?.who}` } }] }
  })
  server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'vendor://a', name: 'a' }] }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'vendor://{id}', name: 'any' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: 'application/octet-stream', blob: Buffer.from([0, 255, 7]).toString('base64') }],
  }))
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: { values: [`${params.argument.value}-completed`] },
  }))
  return server
}

type Call = (state: VendorState, args: Record<string, unknown>, context: ServerContext) => Promise<Result> | Result
type Result = { content: object[]; isError?: boolean; structuredContent?: object } & Record<string, unknown>

const text = (content: string) => ({ type: 'text', text: content })

const echo: Call = (_, args) => ({ content: [text(JSON.stringify(args))], structuredContent: { args } })

const nameForm = {
  message: 'Who are you?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] },
}

const calls: Record<string, Call> = {
  echo,
  picture: () => ({
    content: [
      { type: 'image', mimeType: 'image/png', data: Buffer.from([137, 80, 78, 71]).toString('base64') },
      { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
      { type: 'resource', resource: { uri: 'vendor://b', mimeType: 'application/zip', blob: 'UEs=' } },
      { type: 'resource_link', uri: 'vendor://a', name: 'a' },
    ],
  }),
  async wait(state, _args, { mcpReq: { signal, _meta, notify } }) {
    const progressToken = _meta?.progressToken
    if (progressToken !== undefined)
      await notify({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'half' },
      })
    await new Promise<void>((resolve) => {
      state.waiting++
      state.release = resolve
      signal.addEventListener('abort', () => {
        state.cancelled++
        resolve()
      })
    })
    return { content: [text('waited')] }
  },
  async chatty(_state, _args, { mcpReq }) {
    await mcpReq.log('info', 'the vendor says hello', 'vendor')
    return { content: [text('said')] }
  },
  leak: (state) => ({
    content: [text(`your token is ${state.accessToken}`)],
    _meta: { code: 'grant_revoked', own: 1 },
  }),
  /** Asks for a name in a form. */
  form: ({ asked }, _args, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.name as { action: string; content?: object } | undefined
    if (answer) return { content: [text(JSON.stringify(answer))] }
    asked.push('form')
    return inputRequired({
      requestState: 'of-the-vendor',
      inputRequests: { name: inputRequired.elicit(nameForm) },
    }) as never
  },
  /** Asks for a name in a form while it runs, as before 2026-07-28. */
  async form_meanwhile({ asked }, _args, { mcpReq }) {
    asked.push('form_meanwhile')
    const answers = [await mcpReq.elicitInput(nameForm), await mcpReq.elicitInput({ ...nameForm, message: 'Again?' })]
    return { content: [text(JSON.stringify(answers))] }
  },
  page: ({ asked }, _args, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.page
    if (answer) return { content: [text(JSON.stringify(answer))] }
    asked.push('page')
    const page = inputRequired.elicitUrl({ message: 'Sign the contract.', url: 'https://vendor.example/sign' })
    return inputRequired({ inputRequests: { page } }) as never
  },
  /** Does nothing until its page was opened, as before 2026-07-28. */
  page_first: ({ asked }) => {
    if (asked.push('page_first') % 2 === 0) return { content: [text('signed')] }
    const url = 'https://vendor.example/sign'
    throw new UrlElicitationRequiredError([
      { mode: 'url', message: 'Sign the contract.', url, elicitationId: 'sign-1' },
    ])
  },
  page_always: () => {
    const url = 'https://vendor.example/sign'
    throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Sign.', url, elicitationId: 'sign-2' }])
  },
  script: () => {
    const page = inputRequired.elicitUrl({ message: 'Open.', url: 'javascript:alert(1)' })
    return inputRequired({ inputRequests: { page } }) as never
  },
  refuse: (state) => {
    throw new ProtocolError(-32_000, `not with ${state.accessToken}`)
  },
}
