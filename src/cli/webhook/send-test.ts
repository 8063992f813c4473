import { type Command, Option } from 'commander';
import { TEST_TYPES, type WebhookEventType } from '../../domain/webhooks/event.ts';
import type { Endpoints, SentTest, TestRefusal } from '../../store/webhooks/admin.ts';
import { addExamples, type Cli, CommandFailure, guildIdArgument, report } from '../cli.ts';
import { endpointIdArgument, explainAddress, unknownEndpoint, withEndpoints } from './endpoints.ts';
import { attemptText, describeAttempt } from './log.ts';

export function addTestCommand(group: Command, cli: Cli): void {
  const command = group
    .command('test')
    .description('send a test event now and show the response; exit 1 if it was not delivered')
    .addArgument(guildIdArgument())
    .addArgument(endpointIdArgument())
    .addOption(
      new Option('--type <type>', 'send a sample of this event, with "test": true in its data').choices(
        TEST_TYPES,
      ),
    );
  addExamples(command, [
    'webhook test 123456789012345678 ep_0123456789abcdef',
    'webhook test 123456789012345678 ep_0123456789abcdef --type vote_received',
  ]);
  command.action(async (guildId: string, endpointId: string, { type }: { type?: WebhookEventType }) => {
    const { test, advice } = await withEndpoints(cli, guildId, async (endpoints) => {
      const sent = await endpoints.sendTest(guildId, endpointId, type);
      return { test: sent, advice: await adviceFor(sent, endpoints, guildId, endpointId) };
    });
    if (!test.sent) throw explainRefusal(test.reason, guildId, endpointId);
    const { result } = test;
    const { isDelivered, eventId } = result;
    const document = {
      guild_id: guildId,
      endpoint_id: endpointId,
      event_id: eventId,
      delivered: isDelivered,
    };
    // Scripts read the result of a failed test too.
    if (isDelivered || cli.wantsJson()) {
      report(cli, { ...document, ...describeAttempt(result) }, `Delivered: ${attemptText(result)}`);
    }
    if (!isDelivered)
      throw new CommandFailure(`the test was not delivered: ${advice ?? attemptText(result)}`);
  });
}

/** Explains an address that is not allowed in more detail than the log, which admins can read. */
async function adviceFor(
  test: SentTest,
  endpoints: Endpoints,
  guildId: string,
  endpointId: string,
): Promise<string | undefined> {
  if (!test.sent || test.result.error !== 'PRIVATE_ADDRESS') return undefined;
  const known = await endpoints.listEndpoints(guildId);
  return explainAddress(endpoints, known.find((endpoint) => endpoint.endpointId === endpointId)?.url ?? '');
}

const REFUSALS: Record<Exclude<TestRefusal, 'unknown-endpoint'>, string> = {
  'under-way': 'another test of this endpoint is still running; it ends within 15 seconds',
  busy: 'too many deliveries are in progress; try again in a few seconds',
  sanctioned: 'nothing is sent while the guild is sanctioned; lift it with: votary sanction lift <guild_id>',
};

function explainRefusal(reason: TestRefusal, guildId: string, endpointId: string): CommandFailure {
  if (reason === 'unknown-endpoint') return unknownEndpoint(guildId, endpointId);
  return new CommandFailure(`no test was sent: ${REFUSALS[reason]}`);
}
