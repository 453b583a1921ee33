// Tools of a vendor that ask the user something in the middle of a call, as the conformance runner expects them.
import { inputRequired, ProtocolError, type ServerContext } from '@modelcontextprotocol/server'

type Call = (context: ServerContext, args: Record<string, unknown>) => { content: object[] }
type Property = Record<string, unknown>

const text = (words: string) => ({ content: [{ type: 'text', text: words }] })

/** `name`: of the request, which the answer has as well. Without a state, as the runner expects it for some tools. */
function asks(name: string, message: string, properties: Record<string, Property>, requestState?: string) {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties) }
  const form = inputRequired.elicit({ message, requestedSchema } as never)
  return inputRequired({ inputRequests: { [name]: form }, ...(requestState && { requestState }) }) as never
}

const answerTo = ({ mcpReq: { inputResponses } }: ServerContext, name: string): unknown => inputResponses?.[name]

/** Asks once, and returns the answer. */
const once =
  (message: string, properties: Record<string, Property>, words: string): Call =>
  (context, args) => {
    const answer = answerTo(context, 'form')
    return answer ? text(words + JSON.stringify(answer)) : asks('form', String(args.message ?? message), properties)
  }

/** The state that belongs to the answer. */
function assertState({ mcpReq }: ServerContext, expected: string): void {
  if (mcpReq.requestState<string>() !== expected) throw new ProtocolError(-32_602, 'The state is not of this server.')
}

const confirming =
  (words: string): Call =>
  (context) => {
    if (!answerTo(context, 'confirm')) return asks('confirm', 'Please confirm', { ok: { type: 'boolean' } }, 'state-1')
    assertState(context, 'state-1')
    return text(words)
  }

const options = ['option1', 'option2', 'option3']
const titled = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }))

export const askingTools: Record<string, Call> = {
  test_elicitation: once(
    '',
    { username: { type: 'string', description: 'Name' }, email: { type: 'string', description: 'Address' } },
    'User response: ',
  ),
  test_elicitation_sep1034_defaults: once(
    'Who are you?',
    {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
    'Elicitation completed: ',
  ),
  test_elicitation_sep1330_enums: once(
    'Which ones?',
    {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    },
    'Elicitation completed: ',
  ),
  test_input_required_result_elicitation: (context) =>
    answerTo(context, 'user_name')
      ? text(`Hello, ${JSON.stringify(answerTo(context, 'user_name'))}!`)
      : asks('user_name', 'What is your name?', { name: { type: 'string' } }),
  test_input_required_result_request_state: confirming('state-ok'),
  test_input_required_result_tampered_state: confirming('not tampered'),
  test_input_required_result_multi_round: (context) => {
    if (answerTo(context, 'step2')) {
      assertState(context, 'state-2')
      return text('Both steps are done.')
    }
    if (!answerTo(context, 'step1')) return asks('step1', 'What is your name?', { name: { type: 'string' } }, 'state-1')
    assertState(context, 'state-1')
    return asks('step2', 'Which color?', { color: { type: 'string' } }, 'state-2')
  },
}
