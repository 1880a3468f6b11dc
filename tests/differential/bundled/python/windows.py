import json
import sys


def main(argv=None):
	# tabs, and lines that end the Windows way
	args = argv or sys.argv[1:]
	for name in args:
		with open(name) as handle:
			data = json.load(handle)
		print(json.dumps(data, indent=2, sort_keys=True))
	return 0


class Point:
	def __init__(self, x, y):
		self.x = x
		self.y = y


sys.exit(main())
