// The OpenAPI document as the reference shows it: with samples for the client, and where a request that is tried goes.
import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import { clientSample } from './client-samples.ts'

type Operation = {
  operationId: string
  requestBody?: { content: { 'application/json'?: { example?: unknown } } }
}

const note = `

**Try it** with a key of [test mode](/docs/guides/test-mode), \`cwk_test_…\`. This page sends no live key and forgets the key when you leave it. With [\`@causeway/client\`](/docs/packages/client), \`causeway\` in the samples is \`createCauseway({ url, apiKey })\`.`

/** `server`: where requests are sent from the page. */
export const referenceDocument = (document: OpenApiDocument, server: string) => ({
  ...document,
  info: { ...document.info, description: `${document.info.description}${note}` },
  servers: [{ url: server }],
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, withSample(path, operation as Operation)]),
      ),
    ]),
  ),
})

function withSample(path: string, operation: Operation) {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const example = operation.requestBody?.content['application/json']?.example
  const source = clientSample(operation.operationId, params, example)
  return { ...operation, 'x-codeSamples': [{ lang: 'js', label: '@causeway/client', source }] }
}
