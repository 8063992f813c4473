import type { Command } from 'commander';
import { addExamples, type Cli } from '../cli.ts';
import {
  addEnableCommand,
  addPauseCommand,
  addRemoveCommand,
  addResumeCommand,
  addRotateCommand,
} from './changes.ts';
import { addLogCommand, addReplayCommand, addTestCommand } from './deliveries.ts';
import { addListCommand } from './endpoints.ts';
import { addAddCommand, addEditCommand } from './settings.ts';

export function addWebhookCommands(program: Command, cli: Cli): void {
  const group = program.command('webhook').description("endpoints that a guild's votes are sent to");
  addExamples(group, [
    'webhook add 123456789012345678 https://bot.example.org/votes',
    'webhook add 123456789012345678 --discord https://discord.com/api/webhooks/...',
    'webhook test 123456789012345678 ep_0123456789abcdef',
    'webhook replay 123456789012345678 --since 2027-01-31T18:00:00Z',
  ]);
  addAddCommand(group, cli);
  addListCommand(group, cli);
  addEditCommand(group, cli);
  addTestCommand(group, cli);
  addLogCommand(group, cli);
  addReplayCommand(group, cli);
  addRotateCommand(group, cli);
  addPauseCommand(group, cli);
  addResumeCommand(group, cli);
  addEnableCommand(group, cli);
  addRemoveCommand(group, cli);
}
