// The relay is no route: it takes every method, and its bodies belong to the app.
export const relayPath = '/connections/{connectionId}/relay/{host}/{path}'

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

const text = { type: 'string' } as const

const parameters = [
  {
    name: 'connectionId',
    in: 'path',
    required: true,
    schema: text,
    description: 'The connection whose account is used.',
  },
  {
    name: 'host',
    in: 'path',
    required: true,
    schema: text,
    description: 'An API host of the app. `-` stands for the first one.',
    example: 'gmail.googleapis.com',
  },
  {
    name: 'path',
    in: 'path',
    required: true,
    schema: text,
    description:
      'The path at the app, with slashes and the query as the app expects them. OpenAPI cannot describe such a parameter, and tools that encode slashes as `%2F` send another path. Use `connections.fetch` of the client, or build the URL yourself.',
    example: 'gmail/v1/users/me/labels',
  },
]

const anything = { '*/*': { schema: { description: 'Any bytes. They belong to the app.' } } }

const description =
  'Sends the request to the API of the app, with the access token of the account, and returns the response of the app with the header `Proxy-Status`. Every method is relayed. A response without that header is a problem of Causeway.'

/** `problem`: the response for problems that any request can get. */
export const relayOperations = (problem: object) =>
  Object.fromEntries(
    methods.map((method) => [
      method,
      {
        operationId: `relay${method.charAt(0).toUpperCase()}${method.slice(1)}`,
        summary: `Send a ${method.toUpperCase()} request to the API of the app`,
        description,
        tags: ['Connections'],
        parameters,
        ...(method !== 'get' && {
          requestBody: { description: 'Sent to the app as it is.', content: anything },
        }),
        responses: {
          200: {
            description: 'The response of the app, with its own status.',
            headers: {
              'Proxy-Status': {
                description: 'Present if the app answered (RFC 9209).',
                schema: text,
                example: 'causeway; received-status=200',
              },
            },
            content: anything,
          },
          '4XX': problem,
          '5XX': problem,
        },
      },
    ]),
  )
