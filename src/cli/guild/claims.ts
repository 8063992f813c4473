import { Argument, type Command, InvalidArgumentError } from 'commander';
import { CONSUMER_MAX_LENGTH, isConsumer } from '../../domain/votes/consumers.ts';
import { PLAYER_NAME_RULES, type PlayerNameRule } from '../../domain/votes/player-names.ts';
import { setClaimSettings } from '../../moderation/guilds.ts';
import { addExamples, type Cli, changeGuild, guildIdArgument, report } from '../cli.ts';

export function addPlayerNames(group: Command, cli: Cli): void {
  const rule = new Argument('<rule>', 'how claims compare names').choices(PLAYER_NAME_RULES);
  const command = group
    .command('player-names')
    .description(
      'set how claims compare names: exact, ignore-case, or minecraft (without case and Bedrock prefix)',
    )
    .addArgument(guildIdArgument())
    .addArgument(rule);
  addExamples(command, ['guild player-names 123456789012345678 minecraft']);
  command.action(async (guildId: string, playerNames: PlayerNameRule) => {
    await changeGuild(cli, guildId, (moderator) => setClaimSettings(moderator, guildId, { playerNames }));
    const document = { guild_id: guildId, player_names: playerNames };
    report(cli, document, `Claims of guild ${guildId} compare names with the rule ${playerNames}.`);
  });
}

export function addListforgeConsumer(group: Command, cli: Cli): void {
  const command = group
    .command('listforge-consumer')
    .description('set the consumer as which ListForge plugins claim votes (default: default)')
    .addArgument(guildIdArgument())
    .addArgument(new Argument('<consumer>', 'such as default or survival').argParser(parseConsumer));
  addExamples(command, ['guild listforge-consumer 123456789012345678 survival']);
  command.action(async (guildId: string, listforgeConsumer: string) => {
    await changeGuild(cli, guildId, (moderator) =>
      setClaimSettings(moderator, guildId, { listforgeConsumer }),
    );
    const document = { guild_id: guildId, listforge_consumer: listforgeConsumer };
    report(cli, document, `ListForge plugins of guild ${guildId} claim votes as ${listforgeConsumer}.`);
  });
}

function parseConsumer(text: string): string {
  if (isConsumer(text)) return text;
  throw new InvalidArgumentError(
    `It must be 1 to ${CONSUMER_MAX_LENGTH} lower-case letters (a-z), digits or hyphens.`,
  );
}
