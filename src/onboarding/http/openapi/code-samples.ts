import type { CodeSample } from '../../../kit/markdown/code-blocks.ts'
import type { ApiRoute } from '../route.ts'
import { clientSample, examplePath, pythonSample } from './client-samples.ts'

/** One call with the clients for Node.js and Python, and by curl. `example` is the example request. */
export const codeSamples = (route: ApiRoute, example: unknown): CodeSample[] => [
  { language: 'js', code: clientSample(route, example) },
  { language: 'python', code: pythonSample(route, example) },
  { language: 'sh', code: curlSample(route, example) },
]

function curlSample({ method, path }: ApiRoute, example: unknown): string {
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$CAUSEWAY_URL/api/v1${examplePath(path)}"`,
    '-H "Authorization: Bearer $CAUSEWAY_API_KEY"',
  ]
  if (example !== undefined) {
    const body = JSON.stringify(example, null, 2).replaceAll("'", String.raw`'\''`).replaceAll('\n', '\n  ')
    lines.push('-H "Content-Type: application/json"', `-d '${body}'`)
  }
  return lines.join(' \\\n  ')
}
