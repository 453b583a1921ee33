import { args, count, google, text } from './schema.ts'

const api = 'https://www.googleapis.com/calendar/v3'

const calendarId = text('The id of the calendar; primary is the one of the account')
const event = {
  summary: text('The title'),
  description: text('More about it'),
  location: text('Where'),
  start: { type: 'object', description: '{"dateTime": "2026-05-01T10:00:00+02:00"} or {"date": "2026-05-01"}' },
  end: { type: 'object', description: 'Like start' },
  attendees: { type: 'array', items: { type: 'object' }, description: '[{"email": "user@acme.example"}]' },
}
const eventBody = Object.fromEntries(Object.keys(event).map((name) => [name, `{${name}}`]))

export const googleCalendar = google({
  name: 'google-calendar',
  displayName: 'Google Calendar',
  apiHosts: ['www.googleapis.com'],
  tools: [
    {
      name: 'list_events',
      description: 'Lists events of a calendar in the order of their start.',
      inputSchema: args(
        {
          calendarId,
          timeMin: text('Not before, RFC 3339'),
          timeMax: text('Not after, RFC 3339'),
          query: text('Words to look for'),
          maxResults: count('How many', 250),
          pageToken: text('nextPageToken of the previous answer'),
        },
        ['calendarId'],
      ),
      request: {
        method: 'GET',
        url: `${api}/calendars/{calendarId}/events`,
        query: {
          timeMin: '{timeMin}',
          timeMax: '{timeMax}',
          q: '{query}',
          maxResults: '{maxResults}',
          pageToken: '{pageToken}',
          singleEvents: 'true',
          orderBy: 'startTime',
        },
      },
    },
    {
      name: 'get_event',
      description: 'Reads one event.',
      inputSchema: args({ calendarId, eventId: text('The id of the event') }, ['calendarId', 'eventId']),
      request: { method: 'GET', url: `${api}/calendars/{calendarId}/events/{eventId}` },
    },
    {
      name: 'create_event',
      description: 'Adds an event to a calendar.',
      inputSchema: args({ calendarId, ...event }, ['calendarId', 'summary', 'start', 'end']),
      request: { method: 'POST', url: `${api}/calendars/{calendarId}/events`, body: eventBody },
    },
    {
      name: 'update_event',
      description: 'Changes what is given and leaves the rest of an event as it is.',
      inputSchema: args({ calendarId, eventId: text('The id of the event'), ...event }, ['calendarId', 'eventId']),
      request: { method: 'PATCH', url: `${api}/calendars/{calendarId}/events/{eventId}`, body: eventBody },
    },
    {
      name: 'delete_event',
      description: 'Removes an event.',
      inputSchema: args({ calendarId, eventId: text('The id of the event') }, ['calendarId', 'eventId']),
      request: { method: 'DELETE', url: `${api}/calendars/{calendarId}/events/{eventId}` },
    },
  ],
})
