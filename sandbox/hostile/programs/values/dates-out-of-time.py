# /// case
# attack = "Returns dates and times at the ends of time, of zones that raise, lie or never answer."
# calls = ["double(0)", "double(1)", "double(2)", "double(3)", "double(4)"]
# limits = {wall_s = 1.5}
# ///
import datetime
class Zone(datetime.tzinfo):
    def utcoffset(self, when):
        while self.hangs:
            pass
        raise ValueError("no")
    dst = tzname = utcoffset
def double(x):
    zone = Zone()
    zone.hangs = x == 1
    far = datetime.timezone(datetime.timedelta(hours=23, minutes=59, seconds=59, microseconds=999999))
    return [datetime.datetime(1, 1, 1, tzinfo=zone), datetime.time(23, 59, fold=1, tzinfo=zone),
            datetime.datetime.max.replace(tzinfo=far), datetime.timedelta.max, datetime.date.min][x]
