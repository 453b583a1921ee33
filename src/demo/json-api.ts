import { StartError } from '../kit/process/start-error.ts'

export type JsonApi = (method: string, path: string, body?: object) => Promise<unknown>

export const jsonApi =
  (url: string, apiKey: string): JsonApi =>
  async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (answer.ok) return answer.json()
    throw new StartError(`${method} ${path} failed with ${answer.status}: npm run reset clears the demo's data`)
  }
